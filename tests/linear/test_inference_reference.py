"""Coefficient tables, intervals and tests beside those of other programs."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from distinguo import LogisticRegression, grouped_counts
from distinguo.exceptions import SeparationWarning

# R's glm, run to epsilon = 1e-14, has its standard errors from the last step but one.
GLM = 1e-6
# logistf's intervals are printed to so many digits. R's confint for glm interpolates the profile, and is out by up to
# 5e-4 here; so ends are from R 4.2.2 by uniroot(tol = 1e-13) of glm.fit(X[, -j], y, offset = X[, j] * v)$deviance less
# the full fit's and qchisq(.95, 1).
LOGISTF, UNIROOT = 5e-6, 1e-8

LOW_BIRTH_WEIGHT = ["age", "lwt", "black", "other", "smoke", "ptd", "ht", "ui", "ftv1", "ftv2"]


def spector(shared_data):
    table = pd.read_csv(shared_data("spector.csv"))
    return table[["GPA", "TUCE", "PSI"]], table["GRADE"], table


def birthwt(shared_data):
    """As in Venables and Ripley (2002), chapter 7."""
    table = pd.read_csv(shared_data("birthwt.csv"))
    table = table.assign(
        black=(table.race == 2) * 1.0,
        other=(table.race == 3) * 1.0,
        ptd=(table.ptl > 0) * 1.0,
        ftv1=(table.ftv == 1) * 1.0,
        ftv2=(table.ftv >= 2) * 1.0,
    )
    return table[LOW_BIRTH_WEIGHT], table["low"], table


def lizards(shared_data):
    table = pd.read_csv(shared_data("lizards.csv"))
    X = pd.DataFrame(
        {
            "tall": (table.height == ">=5ft") * 1.0,
            "thick": (table.diameter == ">2in") * 1.0,
            "sunny": (table.light == "sunny") * 1.0,
            "late": (table.time == "late") * 1.0,
            "midday": (table.time == "midday") * 1.0,
        }
    )
    return grouped_counts(X, table.grahami, table.grahami + table.opalinus)


# Maximum likelihood, two classes


def test_spector(shared_data):
    """statsmodels 0.14, Logit(GRADE ~ GPA + TUCE + PSI): results of its tests, which are Stata's.

    Stata kept the grades in single precision, as the likelihood's ninth digit shows.
    """
    X, y, _ = spector(shared_data)
    model = LogisticRegression().fit(X.assign(GPA=X.GPA.astype(np.float32)), y)
    table = model.summary()
    assert table.term.tolist() == ["(intercept)", "GPA", "TUCE", "PSI"]
    assert_allclose(table.estimate, [-13.0213483201, 2.82611297201, 0.0951576702557, 2.37868772835], rtol=1e-9)
    assert_allclose(table.standard_error, [4.93132462871, 1.26294114526, 0.141554207662, 1.06456430165], rtol=1e-8)
    assert_allclose(table.z, [-2.640537645, 2.237723415, 0.6722348408, 2.234423721], rtol=1e-8)
    assert_allclose(table.p_value, [0.0082774596, 0.0252390974, 0.5014342039, 0.0254552063], rtol=1e-6)
    assert_allclose(model.log_likelihood_, -12.8896334653335, rtol=1e-12)
    assert_allclose(model.null_log_likelihood_, -20.5917296966173, rtol=1e-12)
    assert_allclose([model.mcfadden_, model.aic_], [0.374038332124624, 33.779266930667], rtol=1e-12)
    assert_allclose(model.bic_, 39.642210541866, rtol=1e-12)
    assert "likelihood ratio to null 15.4042 on 3 df, p 0.001502" in str(table)


def test_spector_by_robust_standard_errors(shared_data):
    """Stata's `logit, vce(robust)`, by statsmodels' tests, whose factor is n / (n - 1); R 4.2.2, sandwich:
    vcovHC(m, type = "HC1").
    """
    X, y, _ = spector(shared_data)
    model = LogisticRegression().fit(X, y)
    stata = np.sqrt(np.diag(model.covariance("HC0")) * 32 / 31)
    assert_allclose(stata, [5.2807513766642, 1.287827879216, 0.1198091371814, 0.97985082470462], rtol=1e-6)
    r = [5.556452526590, 1.355063653319, 0.126064206905, 1.031007502736]
    assert_allclose(model.summary(covariance="HC1").standard_error, r, rtol=GLM)


def test_spector_profile_intervals(shared_data):
    X, y, _ = spector(shared_data)
    found = LogisticRegression().fit(X, y).confidence_intervals("profile")
    assert_allclose(found.low, [-25.165923757224, 0.639158169451, -0.170201860299, 0.478466588376], rtol=UNIROOT)
    assert_allclose(found.high, [-4.899768254626, 5.756731446437, 0.405017497885, 4.809879337946], rtol=UNIROOT)


def test_spector_with_an_offset(shared_data):
    """R 4.2.2: glm(GRADE ~ TUCE + PSI, binomial, offset = GPA); its null deviance has the offset."""
    X, y, _ = spector(shared_data)
    model = LogisticRegression().fit(X[["TUCE", "PSI"]], y, offset=X["GPA"])
    table = model.summary()
    assert_allclose(table.estimate, [-8.228057212747, 0.151937400738, 2.003197659947], rtol=1e-8)
    assert_allclose(table.standard_error, [3.045783087798, 0.127466683917, 0.897359064763], rtol=GLM)
    assert_allclose([model.deviance_, model.null_deviance_], [28.3616937458, 35.7434109733], rtol=1e-10)


def test_spector_without_an_intercept(shared_data):
    """R 4.2.2: glm(GRADE ~ 0 + TUCE + PSI, binomial), and ends of its profile."""
    X, y, _ = spector(shared_data)
    model = LogisticRegression(fit_intercept=False).fit(X[["TUCE", "PSI"]], y)
    table, found = model.summary(), model.confidence_intervals("profile")
    assert table.term.tolist() == ["TUCE", "PSI"]
    assert_allclose(table.estimate, [-0.059545114385, 1.627195264418], rtol=1e-8)
    assert_allclose(table.standard_error, [0.0262844974441, 0.8043689448673], rtol=GLM)
    assert_allclose([model.deviance_, model.null_deviance_, model.aic_], [37.7346906828, 44.3614195558, 41.7346906828])
    assert_allclose(found.low, [-0.118318932893, 0.115101628946], rtol=UNIROOT)
    assert_allclose(found.high, [-0.0123934438241, 3.3212320219219], rtol=UNIROOT)


def test_south_african_hearts(shared_data):
    """Hastie, Tibshirani and Friedman (2009), Table 4.2, with more digits from R: glm(chd ~ ., binomial)."""
    table = pd.read_csv(shared_data("saheart.csv"))
    table["famhistPresent"] = (table.famhist == "Present") * 1.0
    seven = ["sbp", "tobacco", "ldl", "famhistPresent", "obesity", "alcohol", "age"]
    model = LogisticRegression().fit(table[seven], table.chd)
    errors = [0.9641558, 0.0056326, 0.026215, 0.0574115, 0.2248691, 0.0291053, 0.004455, 0.0101749]
    assert_allclose(model.summary().standard_error, errors, rtol=1e-4)
    assert_allclose([model.deviance_, model.null_deviance_], [483.17, 596.11], atol=0.005)
    nine = LogisticRegression().fit(table[[*seven, "adiposity", "typea"]], table.chd)
    errors = {"(intercept)": 1.30826, "adiposity": 0.0292894, "typea": 0.0123202, "obesity": 0.0442477}
    found = nine.summary()
    for name, error in errors.items():
        assert_allclose(found.standard_error[found.term == name], error, rtol=1e-4)
    assert_allclose(nine.deviance_, 472.14, atol=0.005)


def test_low_birth_weight(shared_data):
    """Venables and Ripley (2002), chapter 7; R 4.2.2: glm, ends of its profile, drop1(m, test = "LRT")."""
    X, y, _ = birthwt(shared_data)
    model = LogisticRegression().fit(X, y)
    table, found, tests = model.summary(), model.confidence_intervals("profile"), model.term_tests()
    estimates = [0.8230190, -0.0372343, -0.0156530, 1.1924132, 0.7406849, 0.7555284, 1.3437634, 1.9131659]
    assert_allclose(table.estimate, [*estimates, 0.6801955, -0.4363797, 0.1790085], rtol=5e-6)
    errors = [1.24476057557214, 0.03870423837414, 0.00708072933953, 0.53598063795771, 0.46176534713353]
    errors += [0.42503533429085, 0.48063374874430, 0.72075835229597, 0.46434973429796]
    assert_allclose(table.standard_error, [*errors, 0.47941052608096, 0.45639014358593], rtol=GLM)
    low = [-1.5791282084058, -0.1149957988624, -0.0303549895284, 0.1431322343850, -0.1571151002685, -0.0724499993825]
    low += [0.4166257320861, 0.5394527514255, -0.2420671137790, -1.4110972786391, -0.7297705964397]
    assert_allclose(found.low, low, rtol=UNIROOT)
    high = [3.32356192032668, 0.03746395949797, -0.00243711703381, 2.26175625618336, 1.66416783282426]
    high += [1.60446086361388, 2.31535758021458, 3.41586990444824, 1.59200112785838, 0.48310445324025]
    assert_allclose(found.high, [*high, 1.07162555746802], rtol=UNIROOT)
    lost = [0.941875823, 5.473941297, 4.948660107, 2.611536834, 3.198241447, 8.108539443, 7.458401577, 2.109974328]
    assert tests.term.tolist() == LOW_BIRTH_WEIGHT
    assert_allclose(tests.statistic, [*lost, 0.848694596, 0.153225319], atol=1e-7)
    assert_allclose(tests.p_value[5], 0.0044057, rtol=1e-4)
    assert_allclose([model.deviance_, model.null_deviance_], [195.475518278, 234.671996193], rtol=1e-11)
    assert_allclose([model.aic_, model.bic_], [217.475518278, 253.134735443], rtol=1e-11)


def test_low_birth_weight_beside_a_smaller_fit(shared_data):
    """R 4.2.2: anova(glm(low ~ age + lwt + smoke, binomial), m, test = "LRT")."""
    X, y, _ = birthwt(shared_data)
    small, large = (LogisticRegression().fit(X[names], y) for names in (["age", "lwt", "smoke"], LOW_BIRTH_WEIGHT))
    for found in (large.likelihood_ratio_test(small), small.likelihood_ratio_test(large)):
        assert_allclose([found.statistic, found.df, found.p_value], [27.4038347, 7, 0.00028185], rtol=2e-5)
    together = large.term_tests([[name for name in LOW_BIRTH_WEIGHT if name not in {"age", "lwt", "smoke"}]])
    assert_allclose(together.statistic, [found.statistic], rtol=1e-9)


def test_low_birth_weight_by_robust_standard_errors(shared_data):
    """R 4.2.2, sandwich: vcovHC(m, type = "HC0"), type = "HC1", and vcovCL(m, cluster = birthwt$age)."""
    X, y, table = birthwt(shared_data)
    model = LogisticRegression().fit(X, y)
    hc0 = [1.28055926768474, 0.03747898749458, 0.00753069156121, 0.52457166751040, 0.45668902153984]
    hc0 += [0.42763355517305, 0.47990874297923, 0.70350894136989, 0.50108945544215, 0.49525102300568]
    assert_allclose(model.summary(covariance="HC0").standard_error, [*hc0, 0.47116046369762], rtol=GLM)
    hc1 = [1.31953399842106, 0.03861968709571, 0.00775989350701, 0.54053737875007, 0.47058867624067]
    assert_allclose(model.summary(covariance="HC1").standard_error[:5], hc1, rtol=GLM)
    by_age = [1.3924242079721, 0.0308574281637, 0.0089251192188, 0.4344012084551, 0.4960488909061]
    by_age += [0.4406621694273, 0.3785786367453, 0.7676970617074, 0.4873574559997, 0.4949092477446]
    found = model.summary(covariance="cluster", clusters=table.age)
    assert_allclose(found.standard_error, [*by_age, 0.5626850704689], rtol=GLM)


def test_low_birth_weight_fits_well(shared_data):
    """Hosmer and Lemeshow's groups by R 4.2.2: cut(p, unique(quantile(p, seq(0, 1, .1))), include.lowest = TRUE)."""
    X, y, _ = birthwt(shared_data)
    found = LogisticRegression().fit(X, y).hosmer_lemeshow()
    assert found.weight.tolist() == [19, 19, 19, 19, 19, 18, 19, 19, 19, 19]
    assert found.observed.tolist() == [0, 2, 4, 6, 3, 3, 8, 9, 10, 14]
    expected = [1.02587559012, 1.84514569246, 2.77728546757, 3.9361636832, 4.74099324575]
    assert_allclose(found.expected[:5], expected, rtol=1e-8)
    assert_allclose([found.statistic, found.df], [5.98178611633, 8], rtol=1e-8)
    assert_allclose(found.p_value, 0.6493, atol=5e-5)


def test_lizards_from_counts(shared_data):
    """R 4.2.2: glm(cbind(grahami, opalinus) ~ height + diameter + light + time, binomial), drop1."""
    model = LogisticRegression().fit(*lizards(shared_data))
    table, found = model.summary(), model.confidence_intervals("profile")
    estimates = [1.097412677186, 1.129991346334, -0.762634315783, 0.847275534386, -0.736811675575, 0.227110543499]
    assert_allclose(table.estimate, estimates, rtol=1e-8)
    errors = [0.235583850311, 0.257089910645, 0.211269402676, 0.322382636405, 0.299000576924, 0.250177005234]
    assert_allclose(table.standard_error, errors, rtol=GLM)
    low = [0.645590936029, 0.641886973788, -1.179299368410, 0.239906597726, -1.325624505486, -0.267407369737]
    high = [1.571344989061, 1.653588708410, -0.349910073041, 1.510613201637, -0.150563308500, 0.715517952663]
    assert_allclose(np.column_stack([found.low, found.high]), np.column_stack([low, high]), rtol=UNIROOT)
    tests = model.term_tests(["tall", "thick", "sunny", ["late", "midday"]])
    assert_allclose(tests.statistic, [22.066228008, 13.129993728, 7.687146369, 11.597136024], rtol=1e-8)
    assert tests.df.tolist() == [1, 1, 1, 2]


# Softmax


def test_american_elections(shared_data):
    """statsmodels 0.14, MNLogit on anes96: results of its tests."""
    table = pd.read_csv(shared_data("anes96.csv"))
    model = LogisticRegression().fit(table[["logpopul", "selfLR", "age", "educ", "income"]], table.PID)
    found = model.summary()
    assert found.outcome.tolist() == np.repeat(np.arange(1, 7), 6).tolist()
    first, last = found.outcome == 1, found.outcome == 6
    estimates = [-0.37340167, -0.01153598, 0.29771435, -0.024945, 0.08249144, 0.00519655]
    assert_allclose(found.estimate[first], estimates, atol=6e-9)
    errors = [0.6298376313, 0.0342823657, 0.093626795, 0.0065248584, 0.0735865799, 0.0176336937]
    assert_allclose(found.standard_error[first], errors, rtol=1e-7)
    assert_allclose(
        found.estimate[last], [-12.105751, -0.14088069, 2.0700801, -0.00943265, 0.3219257, 0.10889408], rtol=1e-6
    )
    errors = [1.059954821, 0.042138047, 0.1434089089, 0.0081338625, 0.0910979921, 0.025300888]
    assert_allclose(found.standard_error[last], errors, rtol=1e-7)
    assert_allclose([model.log_likelihood_, model.null_log_likelihood_], [-1461.922747312, -1750.34670999], rtol=1e-10)
    assert_allclose([model.mcfadden_, model.aic_, model.bic_], [0.1647810465387, 2995.84549462, 3170.45003661])
    assert "likelihood ratio to null 576.848 on 30 df" in str(found)


# Separation, and Firth's correction


def test_endometrial_cancer_apart(shared_data):
    """R, brglm2's vignette: glm(HG ~ NV + PI + EH, binomial); the estimate of NV is infinite."""
    table = pd.read_csv(shared_data("endometrial.csv"))
    with pytest.warns(SeparationWarning, match="NV"):
        model = LogisticRegression().fit(table[["NV", "PI", "EH"]], table.HG)
    found = model.summary()
    assert_allclose(found.estimate, [4.3045178, np.inf, -0.0421834, -2.9026056], rtol=2e-6)
    assert_allclose(found.standard_error, [1.63729861, np.inf, 0.04433196, 0.84555156], rtol=2e-6)
    assert np.isnan([found.z[1], found.p_value[1], found.low[1], found.high[1]]).all()
    assert_allclose([model.deviance_, model.null_deviance_], [55.393, 104.903], atol=0.0005)
    assert "infinite, for classes are told apart without an error: NV" in str(found)


def test_endometrial_cancer_with_less_bias(shared_data):
    """R: brglm2 (README, expo) for standard errors and deviance; logistf for intervals and penalised tests."""
    table = pd.read_csv(shared_data("endometrial.csv"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LogisticRegression(bias_reduction="firth").fit(table[["NV", "PI", "EH"]], table.HG)
    found, profile = model.summary(), model.confidence_intervals("profile")
    assert_allclose(found.standard_error, [1.48869, 1.55076, 0.03958, 0.77602], atol=6e-6)
    assert_allclose(found.p_value, [0.011229, 0.058902, 0.379914, 0.000791], atol=1e-6)
    assert_allclose([model.deviance_, model.aic_], [56.575, 64.575], atol=0.0005)
    ends = [[1.0825371, 7.2092805], [0.6097244, 7.85463171], [-0.1244587, 0.04045547], [-4.3651832, -1.23272106]]
    assert_allclose(np.column_stack([profile.low, profile.high]), ends, rtol=LOGISTF)
    assert_allclose(model.term_tests(["NV"]).p_value, [0.0091], atol=5e-5)


def test_urinary_tract_infections(shared_data):
    """R, logistf's manual: logistf(case ~ age + oc + vic + vicl + vis + dia, sex2); `se_fisher` by brglm2."""
    table = pd.read_csv(shared_data("sex2.csv"))
    terms = ["age", "oc", "vic", "vicl", "vis", "dia"]
    model = LogisticRegression(bias_reduction="firth").fit(table[terms], table.case)
    found, profile, tests = model.summary(), model.confidence_intervals("profile"), model.term_tests()
    errors = [0.4855415, 0.4236601, 0.4437934, 0.5484159, 0.5430823, 0.4173676, 1.675022]
    assert_allclose(found.standard_error, errors, rtol=1e-5)
    low = [-0.8185591, -1.9737884, -0.9414363, 1.2730216, -3.2608611, -1.6080879, 0.7745682]
    assert_allclose(profile.low, low, rtol=LOGISTF)
    high = [1.07315122, -0.30742514, 0.78920202, 3.43543273, -1.11773495, 0.01518468, 8.03029352]
    assert_allclose(profile.high, high, rtol=LOGISTF, atol=2e-6)
    chi2 = [7.50773092, 0.02467044, 22.93139022, 19.10407252, 3.69740975, 7.89693139]
    assert_allclose(tests.statistic, chi2, atol=2e-5)
    assert_allclose(
        tests.p_value, [0.006143472, 0.8751911, 1.678877e-06, 1.237805e-05, 0.05449701, 0.004951873], rtol=1e-3
    )
    together = model.term_tests([terms])
    assert_allclose([together.statistic[0], together.df[0], together.p_value[0]], [49.09064, 6, 7.15089e-09], rtol=2e-5)
