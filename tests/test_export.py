"""Exports: each runs in its own runtime and says what the function says, in and out of range."""

import copy
import ctypes
import pickle
import shutil
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from unbraid import (
    RBF,
    BSpline,
    CustomBasis,
    DecoupledFunction,
    Fourier,
    InvalidFile,
    InvalidOption,
    MissingExtra,
    PiecewiseLinear,
    Polynomial,
)
from unbraid.export import to_c, to_jax, to_latex, to_matlab, to_onnx, to_sympy, to_torch
from unbraid.export._formula import formulas
from unbraid.model._branch import fit_branch

BASES = {
    "cubic": Polynomial(3),
    "ninth": Polynomial(9),
    "spline": BSpline(12),
    "quintic": BSpline(8, degree=5),
    "one_piece": BSpline(4),
    "corners": PiecewiseLinear(6),
    "fourier": Fourier(3),
    "bumps": RBF(6),
    "nonparametric": None,
}
WAYS = ("linear", "basis", "nan")
SHAPES = (lambda z: np.tanh(z) + 0.1 * z**2, lambda z: np.sin(1.5 * z) - 0.3 * z, np.cos)


def function_of(bases, extrapolate, n_inputs=3, n_outputs=2, margins=(0.0, 0.2, 0.0)):
    """One branch a basis, on data around but not at the centre."""
    rng = np.random.default_rng(7)
    V = rng.standard_normal((n_inputs, len(bases)))
    V /= np.linalg.norm(V, axis=0)
    z = rng.uniform(-1.5, 1.5, (40, n_inputs)) @ V + 0.2
    branches = tuple(
        replace(fit_branch(basis, column, shape(column), extrapolate=extrapolate), margin=margin)
        for basis, column, shape, margin in zip(
            bases, z.T, SHAPES * len(bases), margins * len(bases), strict=False
        )
    )
    W, offset = rng.standard_normal((n_outputs, len(bases))), rng.standard_normal(n_outputs)
    return DecoupledFunction(W, V, branches, offset)


CASES = {
    f"{name}_{way}": function_of([basis, basis], way)
    for name, basis in BASES.items()
    for way in WAYS
}
CASES |= {f"scalar_{way}": function_of([BSpline(7)], way, 1, 1, (0.1,)) for way in WAYS}
CASES |= {f"mixed_{way}": function_of(list(BASES.values()), way) for way in WAYS}
together = function_of([Polynomial(4), None], "linear")
CASES["both_ways"] = replace(
    together,
    W=np.tile(together.W, 2),
    V=np.tile(together.V, 2),
    branches=(*together.branches, *(replace(b, extrapolate="basis") for b in together.branches)),
)
linear_cases = [name for name in CASES if name.endswith("linear")]


def tiers(names):
    """All bases in one function are quick; every basis alone, where it is easy to find, is slow."""
    quick = ("mixed", "both", "scalar")
    return [
        name if name.startswith(quick) else pytest.param(name, marks=pytest.mark.slow)
        for name in names
    ]


every_case = pytest.mark.parametrize("case", tiers(CASES))


def points_of(d, reach=1.0):
    """Inside, at every break and edge, just beside them, and well outside."""
    rng = np.random.default_rng(3)
    p = rng.uniform(-1.2, 1.2, (150, d.n_inputs)) * reach
    p[100:] *= 2.5
    places = [p]
    for branch, v in zip(d.branches, d.V.T, strict=True):
        pieces = getattr(branch.curve, "pieces", None)
        marks = [] if pieces is None else pieces.breaks
        z = np.concatenate([marks, branch.edges, branch.interval])
        z = np.concatenate([z, z + 1e-12, z - 1e-12])
        places.append(z[:, None] * v / (v @ v))
    return np.concatenate(places)


def assert_agrees(values, expected, tolerance=1e-12):
    """NaN in the same places, and elsewhere close as a share of the largest value."""
    values = np.asarray(values, dtype=float)
    assert values.shape == expected.shape
    np.testing.assert_array_equal(np.isnan(values), np.isnan(expected))
    scale = np.nanmax(np.abs(expected))
    np.testing.assert_allclose(values, expected, rtol=0, atol=tolerance * scale)


# --- ONNX


def run_onnx(model, points):
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(model.SerializeToString(), options)
    return session.run(["f"], {"p": points})[0]


@every_case
def test_onnx_runtime(case):
    pytest.importorskip("onnx", reason="onnx is not installed")
    d = CASES[case]
    p = points_of(d)
    assert_agrees(run_onnx(to_onnx(d), p), d(p))


@every_case
def test_onnx_reference(case):
    reference = pytest.importorskip("onnx.reference", reason="onnx is not installed")
    d = CASES[case]
    p = points_of(d)
    assert_agrees(reference.ReferenceEvaluator(to_onnx(d)).run(["f"], {"p": p})[0], d(p))


@every_case
def test_onnx_single_precision(case):
    pytest.importorskip("onnx", reason="onnx is not installed")
    d = CASES[case]
    p = single(d)
    values = run_onnx(to_onnx(d, dtype="float32"), p)
    assert values.dtype == np.float32
    assert_agrees(values, d(p), single_tolerance(case))


def single_tolerance(case):
    """Rounding shows more where bumps or long cubics cancel and where a ninth power magnifies."""
    return 3e-6 if case.startswith(("bumps", "one_piece", "ninth_basis")) else 1e-6


def single(d):
    """Points in single precision that do not sit on the brink of NaN."""
    p = points_of(d)[:150].astype(np.float32)
    z = d.transform(p)
    ends = np.array([branch.interval for branch in d.branches])
    beside = np.abs(z[:, :, None] - ends).min(axis=(1, 2)) > 1e-5
    return p[beside]


def test_onnx_is_small_and_takes_any_number_of_points(tmp_path):
    onnx = pytest.importorskip("onnx", reason="onnx is not installed")
    d = function_of([BSpline(12)] * 6, "linear")
    model = to_onnx(d, tmp_path / "d.onnx")
    assert len(model.graph.node) < 25
    assert onnx.load(tmp_path / "d.onnx") == model
    for size in (1, 7):
        p = np.ones((size, 3))
        assert_agrees(run_onnx(model, p), d(p))


# --- PyTorch


@every_case
def test_torch_values_and_jacobians(case):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    d = CASES[case]
    p = points_of(d)
    module = to_torch(d)
    with torch.no_grad():
        assert_agrees(module(torch.tensor(p)), d(p))
        assert_agrees(module(torch.tensor(p[0])), d(p)[0])
    p = p[:150]  # not at breaks, where a corner has two slopes
    jacobian = torch.func.vmap(torch.func.jacrev(module))(torch.tensor(p))
    assert_agrees(jacobian.detach(), d.jacobian(p), 1e-11)


@pytest.mark.parametrize("case", linear_cases)
def test_torch_slopes_at_the_edges(case):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    for branch, module in zip(CASES[case].branches, to_torch(CASES[case]).branches, strict=True):
        z = torch.tensor(branch.edges, requires_grad=True, dtype=torch.float64)
        (slope,) = torch.autograd.grad(module(z).sum(), z)
        assert_agrees(slope, branch.derivative(z.detach().numpy()), 1e-11)


@every_case
def test_torch_single_precision(case):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    d = CASES[case]
    p = single(d)
    with torch.no_grad():
        for module in (to_torch(d, dtype=torch.float32), to_torch(d).to(torch.float32)):
            values = module(torch.tensor(p))
            assert values.dtype == torch.float32
            assert_agrees(values, d(p), single_tolerance(case))


@pytest.mark.parametrize("basis", BASES)
@pytest.mark.parametrize("way", ["linear", "basis"])
def test_torch_gradients_of_all_numbers(basis, way):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    d = CASES[f"{basis}_{way}"]
    module = to_torch(d)
    p = torch.tensor(points_of(d)[:150:5])
    parameters = dict(module.named_parameters())
    dice = torch.Generator().manual_seed(1)
    direction = {
        name: torch.randn(value.shape, generator=dice, dtype=value.dtype)
        for name, value in parameters.items()
    }
    assert all(value.requires_grad for value in parameters.values())

    def moved(step):
        numbers = {name: value + step * direction[name] for name, value in parameters.items()}
        return (torch.func.functional_call(module, numbers, (p,)) ** 2).sum()

    gradients = torch.autograd.grad(moved(0.0), list(parameters.values()))
    along = sum((g * direction[name]).sum() for name, g in zip(parameters, gradients, strict=True))
    step = 1e-6
    with torch.no_grad():
        measured = (moved(step) - moved(-step)) / (2 * step)
        np.testing.assert_allclose(along, measured, rtol=1e-6)
    assert all(torch.any(gradient != 0) for gradient in gradients)


def test_a_training_step_helps():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    d = CASES["mixed_linear"]
    module = to_torch(d)
    p = torch.tensor(points_of(d)[:100])
    optimiser = torch.optim.Adam(module.parameters(), lr=0.01)
    losses = []
    for _ in range(10):
        optimiser.zero_grad()
        loss = ((module(p) - torch.sin(p[:, :2])) ** 2).mean()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.8 * losses[0]


@pytest.mark.parametrize("basis", BASES)
@pytest.mark.parametrize("way", ["linear", "basis"])
def test_a_trained_branch_is_a_branch_of_its_basis(basis, way):
    """Splines stay smooth, and lines go on from wherever the edge has moved."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    branch = CASES[f"{basis}_{way}"].branches[1]
    module = to_torch(CASES[f"{basis}_{way}"]).branches[1]
    dice = torch.Generator().manual_seed(2)
    z = np.linspace(-6, 6, 301)
    with torch.no_grad():
        for value in module.parameters():
            value += 0.1 * torch.randn(value.shape, generator=dice, dtype=value.dtype)
        expected = replace(branch, curve=curve_with(branch.curve, module.curve))(z)
        assert np.abs(expected - branch(z)).max() > 0.01
        assert_agrees(module(torch.tensor(z)), expected)


def curve_with(curve, module):
    """The curve with the numbers that a module has now."""
    numbers = {name: value.detach().numpy() for name, value in module.named_parameters()}
    if "sines" in numbers:
        waves = np.stack([numbers["sines"], numbers["cosines"]], axis=1).ravel()
        numbers = {"coefficients": np.append(numbers["line"], waves)}
    if "heights" in numbers:
        numbers = {"coefficients": numbers["heights"]}
    return replace(curve, **numbers)


def test_torch_modules_are_copied_pickled_and_restored(tmp_path):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    d = CASES["mixed_linear"]
    p = torch.tensor(points_of(d))
    module = to_torch(d)
    other = to_torch(function_of(list(BASES.values()), "linear"))
    with torch.no_grad():
        for value in other.parameters():
            value.zero_()
        other.load_state_dict(module.state_dict())
        for twin in (other, copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
            np.testing.assert_array_equal(twin(p), module(p))


# --- JAX


@pytest.fixture(scope="module")
def jax64():
    """JAX with double precision for these tests alone."""
    jax = pytest.importorskip("jax", reason="jax is not installed")
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield jax
    jax.config.update("jax_enable_x64", before)


@every_case
def test_jax_values(jax64, case):
    d = CASES[case]
    p = points_of(d)
    assert_agrees(jax64.jit(to_jax(d))(p), d(p))


@pytest.mark.parametrize("case", tiers([*linear_cases, "spline_basis", "bumps_nan"]))
def test_jax_jacobians(jax64, case):
    d = CASES[case]
    p = points_of(d)[:150]
    jacobian = jax64.jit(jax64.vmap(jax64.jacrev(to_jax(d))))
    assert_agrees(jacobian(p), d.jacobian(p), 1e-11)


def test_jax_takes_gradients(jax64):
    d = CASES["both_ways"]
    f = to_jax(d)
    p = points_of(d)[0]
    value, slope = jax64.jit(jax64.value_and_grad(lambda p: f(p)[1]))(p)
    assert_agrees(value, d(p)[0, 1])
    assert_agrees(slope, d.jacobian(p)[0, 1], 1e-11)


@pytest.mark.parametrize("case", tiers(linear_cases))
def test_jax_single_precision(case):
    jax = pytest.importorskip("jax", reason="jax is not installed")
    d = CASES[case]
    p = single(d)
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", False)
    try:
        values = jax.jit(to_jax(d))(p)
        assert not jax.config.jax_enable_x64
    finally:
        jax.config.update("jax_enable_x64", before)
    assert values.dtype == np.float32
    assert_agrees(values, d(p), single_tolerance(case))


# --- SymPy and LaTeX


@every_case
def test_sympy(case):
    sympy = pytest.importorskip("sympy", reason="sympy is not installed")
    d = CASES[case]
    p = points_of(d)
    expressions = to_sympy(d)
    symbols = [sympy.Symbol(f"p{l + 1}") for l in range(d.n_inputs)]
    assert set().union(*(e.free_symbols for e in expressions)) == set(symbols)
    values = sympy.lambdify(symbols, expressions, "numpy", cse=True)(*p.T)
    assert_agrees(np.stack(values, axis=1), d(p))


def test_sympy_differentiates():
    sympy = pytest.importorskip("sympy", reason="sympy is not installed")
    d = CASES["ninth_linear"]
    p = points_of(d)[:40]
    (first, _), symbols = to_sympy(d, names=["a", "b", "c"]), sympy.symbols("a b c")
    slopes = [sympy.lambdify(symbols, first.diff(s), "numpy", cse=True)(*p.T) for s in symbols]
    assert_agrees(np.stack(slopes, axis=1), d.jacobian(p)[:, 0], 1e-11)


def test_sympy_rounds_for_reading():
    pytest.importorskip("sympy", reason="sympy is not installed")
    d = function_of([Polynomial(2)], "basis", 1, 1)
    (expression,) = to_sympy(d, digits=2)
    assert all(
        len(str(number).lstrip("-0.").replace(".", "")) <= 2
        for number in expression.atoms()
        if number.is_Float
    )


def test_latex_is_readable():
    d = function_of([Polynomial(2), PiecewiseLinear(4), Fourier(1), RBF(2)], "basis")
    text = to_latex(d, names=["u", "y1", "speed_50%"])
    lines = text.splitlines()
    assert lines[0] == r"\begin{aligned}"
    assert lines[-1] == r"\end{aligned}"
    assert text.count("{") == text.count("}")
    assert r"\text{speed\_50\%}" in text
    assert r"\,y_{1}" in text
    starts = [line.partition(" &=")[0] for line in lines if " &=" in line]
    z = [f"z_{{{i}}}" for i in range(1, 5)]
    g = [f"g_{{{i}}}(z_{{{i}}})" for i in range(1, 5)]
    assert starts == ["f_{1}", "f_{2}", *z, g[0], g[1], "t_{3}", g[2], "t_{4}", g[3]]
    assert text.count(r"\begin{cases}") == 1
    assert "e-" not in text


def test_latex_numbers():
    d = replace(
        function_of([Polynomial(1)], "basis", 1, 1), W=np.array([[-1.0]]), V=np.ones((1, 1))
    )
    text = to_latex(replace(d, offset=np.array([1.23456e-7])))
    assert "f_{1} &= -g_{1}(z_{1}) + 1.23 \\cdot 10^{-7} \\\\\nz_{1} &= p_{1} \\\\" in text


@pytest.mark.parametrize("export", [to_sympy, to_latex])
@pytest.mark.parametrize("names", [["a"], ["a", "a", "b"], "abc"])
def test_names_are_checked(export, names):
    with pytest.raises(InvalidOption, match="names is"):
        export(CASES["cubic_linear"], names=names)


# --- C


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """All cases in one shared object, in double and single precision."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    folder = tmp_path_factory.mktemp("c")
    for name, d in CASES.items():
        to_c(d, folder / f"{name}.c", name)
        to_c(d, folder / f"{name}_single.c", f"{name}_single", "float32")
    strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]
    files = sorted(str(file) for file in folder.glob("*.c"))
    output = str(folder / "all.so")
    command = ["gcc", *strict, "-shared", "-fPIC", "-o", output, *files, "-lm"]
    subprocess.run(command, check=True)
    return ctypes.CDLL(output)


def call_c(function, points, *shape):
    values = np.empty((len(points), *shape), points.dtype)
    for p, row in zip(points, values, strict=True):
        function(p.ctypes.data_as(ctypes.c_void_p), row.ctypes.data_as(ctypes.c_void_p))
    return values


@every_case
def test_c(library, case):
    d = CASES[case]
    p = points_of(d)
    assert_agrees(call_c(library[case], p, d.n_outputs), d(p))
    p = p[:150]
    jacobian = call_c(library[f"{case}_jacobian"], p, d.n_outputs, d.n_inputs)
    assert_agrees(jacobian, d.jacobian(p))


@every_case
def test_c_single_precision(library, case):
    d = CASES[case]
    p = single(d)
    assert_agrees(call_c(library[f"{case}_single"], p, d.n_outputs), d(p), single_tolerance(case))


@pytest.mark.parametrize("name", ["", "2fast", "two words", "a-b", "int", "exp", "größe", "x\n"])
def test_c_names_are_checked(name):
    with pytest.raises(InvalidOption, match="function in C"):
        to_c(CASES["cubic_linear"], name=name)


def test_c_needs_no_library_for_polynomials():
    assert "#include" not in to_c(CASES["cubic_linear"])
    assert "#include <math.h>" in to_c(CASES["cubic_nan"])


# --- MATLAB


@pytest.fixture(scope="module")
def octave(tmp_path_factory):
    """Values of all cases from one run of Octave."""
    if shutil.which("octave-cli") is None:
        pytest.skip("octave-cli is not installed")
    folder = tmp_path_factory.mktemp("matlab")
    script = []
    for name, d in CASES.items():
        to_matlab(d, folder / f"{name}.m")
        np.savetxt(folder / f"{name}.txt", points_of(d), "%.17g")
        script.append(f"f = {name}(load('{name}.txt'));")
        script.append(f"h = fopen('{name}.out', 'w');")
        script.append(f"fprintf(h, [repmat('%.17g ', 1, {d.n_outputs}), '\\n'], f'); fclose(h);")
    (folder / "run_all.m").write_text("\n".join(script))
    command = ["octave-cli", "--norc", "--no-history", "--quiet", "run_all.m"]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    assert "warning" not in done.stderr
    return lambda name: np.loadtxt(folder / f"{name}.out", ndmin=2)


@every_case
def test_matlab(octave, case):
    d = CASES[case]
    assert_agrees(octave(case), d(points_of(d)))


def test_matlab_names(tmp_path):
    d = CASES["cubic_linear"]
    assert to_matlab(d).startswith("function f = decoupled(p)\n")
    text = to_matlab(d, tmp_path / "mine.m")
    assert text.startswith("function f = mine(p)\n")
    assert (tmp_path / "mine.m").read_text() == text
    for name in ("2fast.m", "end.m", "_x.m", "branch_1.m", "pieces.m", "a b.m"):
        with pytest.raises(InvalidOption, match="in MATLAB"):
            to_matlab(d, tmp_path / name)
    with pytest.raises(InvalidOption, match="called mine"):
        to_matlab(d, tmp_path / "mine.txt")
    with pytest.raises(InvalidOption, match="called yours"):
        to_matlab(d, tmp_path / "mine.m", name="yours")


# --- all of them


@pytest.mark.parametrize("extra", ["onnx", "torch", "jax", "sympy"])
def test_missing_packages_are_named(monkeypatch, extra):
    monkeypatch.setitem(sys.modules, extra, None)
    export = {"onnx": to_onnx, "torch": to_torch, "jax": to_jax, "sympy": to_sympy}[extra]
    with pytest.raises(MissingExtra, match=rf"unbraid\[{extra}\]"):
        export(CASES["cubic_linear"])


@pytest.mark.parametrize(
    ("export", "package"),
    [
        (to_onnx, "onnx"),
        (to_torch, "torch"),
        (to_jax, "jax"),
        (to_sympy, "sympy"),
        (to_latex, "numpy"),
        (to_c, "numpy"),
        (to_matlab, "numpy"),
    ],
)
def test_python_functions_are_refused(export, package):
    pytest.importorskip(package, reason=f"{package} is not installed")
    d = function_of([CustomBasis([np.sin], [np.cos])], "linear")
    with pytest.raises(InvalidOption, match="CustomBasis"):
        export(d)


@pytest.mark.parametrize("export", [to_onnx, to_c, to_matlab])
def test_files_that_cannot_be_written(tmp_path, export):
    if export is to_onnx:
        pytest.importorskip("onnx", reason="onnx is not installed")
    with pytest.raises(InvalidFile, match="nowhere"):
        export(CASES["cubic_linear"], tmp_path / "nowhere" / "d.m")


@pytest.mark.parametrize("export", [to_onnx, to_c])
def test_dtype_is_checked(export):
    with pytest.raises(InvalidOption, match="'float16'"):
        export(CASES["cubic_linear"], dtype="float16")


def test_nothing_heavy_is_imported_before_it_is_used():
    code = (
        "import sys, unbraid.export\n"
        "heavy = {'onnx', 'torch', 'jax', 'sympy'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_formulas_say_what_holds_beyond():
    linear, basis, nan = (formulas(CASES[f"cubic_{way}"])[1] for way in WAYS)
    low, high = CASES["cubic_linear"].branches[1].edges
    assert (linear.tails.low, linear.tails.high) == (low, high)
    assert linear.bounds is basis.bounds is basis.tails is nan.tails is None
    assert nan.bounds[0] < CASES["cubic_nan"].branches[1].interval[0]
