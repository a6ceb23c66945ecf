"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const root = document.documentElement;

  // Colours: as the system has them, light, dark.
  const themes = ["auto", "light", "dark"];
  const remember = (value) => { try { localStorage.setItem("distinguo-theme", value); } catch (error) { /* files may not */ } };
  const recall = () => { try { return localStorage.getItem("distinguo-theme"); } catch (error) { return null; } };
  const showTheme = (theme) => {
    if (theme === "auto") { delete root.dataset.theme; } else { root.dataset.theme = theme; }
    $("theme").querySelector("span").textContent = theme;
    $("theme").setAttribute("aria-label", `Colours: ${theme === "auto" ? "as the system has them" : theme}`);
    $("theme").dataset.now = theme;
  };
  showTheme(themes.includes(recall()) ? recall() : "auto");
  $("theme").addEventListener("click", () => {
    const next = themes[(themes.indexOf($("theme").dataset.now) + 1) % themes.length];
    remember(next);
    showTheme(next);
  });

  // Tables: a click on a heading sorts, another turns the order round; cells without a value go last.
  const valueOf = (row, place, numeric) => {
    const cell = row.cells[place];
    const text = "v" in cell.dataset ? cell.dataset.v : cell.textContent.trim();
    return numeric ? (text === "" ? NaN : Number(text)) : text;
  };
  const sort = (table, place, numeric, descending) => {
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [valueOf(row, place, numeric), row]);
    const order = numeric
      ? (a, b) => (Number.isNaN(a[0]) ? 1 : 0) - (Number.isNaN(b[0]) ? 1 : 0) || (descending ? b[0] - a[0] : a[0] - b[0]) || 0
      : (a, b) => (descending ? -1 : 1) * a[0].localeCompare(b[0], "en", { numeric: true });
    rows.sort(order).forEach(([, row]) => body.append(row));
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, place) => {
      const kind = head.dataset.sort || "text";
      if (kind === "none") { return; }
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const descending = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", descending ? "descending" : "ascending");
        sort(table, place, kind === "number", descending);
      });
    });
  }

  // The threshold.
  const { sweeps, start } = JSON.parse($("data").textContent);
  if (!sweeps.length) { return; }
  const NEARLY_ONE = 1 - 2 ** -53;
  let sweep = sweeps[0];
  let threshold = 0.5;
  const share = (part, rest) => (part + rest > 0 ? part / (part + rest) : NaN);
  // The first of the ascending numbers that is not below a value.
  const firstNotBelow = (numbers, value) => {
    let low = 0, high = numbers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[middle] < value) { low = middle + 1; } else { high = middle; }
    }
    return low;
  };
  const outcomeAt = (place) => {
    const tp = place < sweep.tp.length ? sweep.tp[place] : 0;
    const fp = place < sweep.fp.length ? sweep.fp[place] : 0;
    return { tp, fp, fn: sweep.positive - tp, tn: sweep.negative - fp };
  };
  const metricsOf = ({ tp, fp, fn, tn }) => {
    const recallShare = share(tp, fn), specificity = share(tn, fp);
    const product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn);
    return {
      recall: recallShare,
      specificity,
      precision: share(tp, fp),
      accuracy: share(tp + tn, fp + fn),
      balanced_accuracy: (recallShare + specificity) / 2,
      f1: share(2 * tp, fp + fn) || 0,
      mcc: product > 0 ? (tp * tn - fp * fn) / Math.sqrt(product) : 0,
      called: share(tp + fp, fn + tn),
    };
  };
  const costOf = (outcome) => (numberIn("alarm") * outcome.fp + numberIn("miss") * outcome.fn) / (sweep.positive + sweep.negative);
  const numberIn = (id) => Math.max(Number($(id).value) || 0, 0);
  const put = (name, value, text) => {
    for (const place of document.querySelectorAll(`[data-out="${name}"]`)) {
      place.textContent = text;
      place.dataset.value = value;
    }
  };
  const three = (value) => (Number.isNaN(value) ? "–" : value.toFixed(3).replace("-", "−"));
  // A threshold in few digits that calls the same rows.
  const told = (value) => {
    for (let digits = 3; digits < 17; digits += 1) {
      const text = value.toPrecision(digits);
      if (firstNotBelow(sweep.thresholds, Number(text)) === firstNotBelow(sweep.thresholds, value)) { return String(Number(text)); }
    }
    return String(value);
  };
  const best = () => {
    let found = { cost: Infinity, place: 0 };
    for (let place = 0; place <= sweep.thresholds.length; place += 1) {
      const cost = costOf(outcomeAt(place));
      if (cost <= found.cost) { found = { cost, place }; }
    }
    const { place } = found;
    if (place === sweep.thresholds.length) { return { cost: found.cost, threshold: 1 }; }
    // Half-way between two probabilities, where all in between are known to be nobody's.
    const between = place > 0 ? (sweep.thresholds[place - 1] + sweep.thresholds[place]) / 2 : 0;
    return { cost: found.cost, threshold: sweep.is_complete ? between : sweep.thresholds[place] };
  };
  const bayes = () => { const alarm = numberIn("alarm"), miss = numberIn("miss"); return alarm + miss > 0 ? alarm / (alarm + miss) : NaN; };

  // As in the confusion matrix: few mistakes are seen, too.
  const shade = (name, part) => Math.round(name === "tp" || name === "tn" ? 100 * part : part > 0 ? 12 + 88 * part : 0);

  const show = () => {
    const place = firstNotBelow(sweep.thresholds, threshold > NEARLY_ONE ? 1 : threshold);
    const outcome = outcomeAt(place);
    const metrics = metricsOf(outcome);
    const rows = { tp: sweep.positive, fn: sweep.positive, fp: sweep.negative, tn: sweep.negative };
    for (const [name, value] of Object.entries(outcome)) {
      put(name, value, value.toLocaleString("en").replaceAll(",", "\u202f"));
      document.querySelector(`td[data-out="${name}"]`).style.setProperty("--s", `${shade(name, value / Math.max(rows[name], 1))}%`);
    }
    for (const [name, value] of Object.entries(metrics)) { put(name, value, three(value)); }
    const least = best(), follows = bayes(), here = costOf(outcome);
    put("cost", here, here.toPrecision(4));
    put("best_cost", least.cost, least.cost.toPrecision(4));
    put("best_threshold", least.threshold, told(least.threshold));
    put("bayes", follows, three(follows));
    for (const line of document.querySelectorAll(".cut-line")) { line.style.left = `${100 * threshold}%`; }
    moveDots(metrics);
  };
  const moveDots = (metrics) => {
    const places = { roc: [1 - metrics.specificity, metrics.recall], pr: [metrics.recall, metrics.precision] };
    for (const dot of document.querySelectorAll(".moving")) {
      const [x, y] = places[dot.dataset.curve];
      const [left, top, width, height] = dot.dataset.box.split(" ").map(Number);
      const known = !Number.isNaN(x) && !Number.isNaN(y);
      dot.style.display = known ? "" : "none";
      if (known) {
        dot.setAttribute("cx", left + x * width);
        dot.setAttribute("cy", top + (1 - y) * height);
        dot.setAttribute("class", `moving k${sweeps.indexOf(sweep) % 10}`);
      }
    }
  };
  const move = (value, from) => {
    // Where not every probability is kept, only those that are can be told exactly.
    const last = sweep.thresholds.length - 1;
    threshold = sweep.is_complete ? value : sweep.thresholds[Math.min(firstNotBelow(sweep.thresholds, value), last)];
    if (from !== $("range")) { $("range").value = Math.round(1000 * threshold); }
    if (from !== $("exact")) { $("exact").value = String(Number(threshold.toPrecision(6))); }
    $("range").setAttribute("aria-valuetext", String(threshold));
    $("slider").dataset.threshold = threshold;
    show();
  };
  const choose = (place) => {
    sweep = sweeps[place];
    document.querySelectorAll(".sweep").forEach((figure, k) => { figure.hidden = k !== place; });
    document.querySelector("[data-name] bdi").textContent = sweep.name;
    move(threshold, null);
  };
  $("range").addEventListener("input", () => move(Number($("range").value) / 1000, $("range")));
  $("exact").addEventListener("input", () => {
    const value = Number($("exact").value);
    if ($("exact").value !== "" && value >= 0 && value <= 1) { move(value, $("exact")); }
  });
  $("alarm").addEventListener("input", show);
  $("miss").addEventListener("input", show);
  $("to-best").addEventListener("click", () => move(best().threshold, null));
  $("to-bayes").addEventListener("click", () => { if (!Number.isNaN(bayes())) { move(bayes(), null); } });
  if ($("sweep")) { $("sweep").addEventListener("change", () => choose(Number($("sweep").value))); }
  choose(start);
  if ($("sweep")) { $("sweep").value = String(start); }
})();
