"""Pictures of the report as inline SVG, whose colours follow the page's and whose text stays text."""
