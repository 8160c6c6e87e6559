"""Move spatial velocities and forces between frames; angular part first, V = [ω; v], F = [t; f].

R = R_AB turns B's axes into A's (x_A = R x_B) and p = p_AB is the position of B's origin from A's, in A.
A velocity V in B is that of the point at B's origin, in B's axes; moved to A it is that of the same
rigid body at A's origin, in A's axes. Power V·F is the same in every frame. Theory: docs/theory/spatial.md.
Outputs come last and may be an input (vectors only).
"""

from __future__ import annotations

from interstage.jit import kernel


@kernel
def _moved(R, p, w, v):
    """Return R w and R v + p×(R w), each (3,), of the half w that is the same at every point and of v."""
    a = R[0, 0] * w[0] + R[0, 1] * w[1] + R[0, 2] * w[2]
    b = R[1, 0] * w[0] + R[1, 1] * w[1] + R[1, 2] * w[2]
    c = R[2, 0] * w[0] + R[2, 1] * w[1] + R[2, 2] * w[2]
    d = R[0, 0] * v[0] + R[0, 1] * v[1] + R[0, 2] * v[2] + p[1] * c - p[2] * b
    e = R[1, 0] * v[0] + R[1, 1] * v[1] + R[1, 2] * v[2] + p[2] * a - p[0] * c
    f = R[2, 0] * v[0] + R[2, 1] * v[1] + R[2, 2] * v[2] + p[0] * b - p[1] * a
    return (a, b, c), (d, e, f)


@kernel
def _moved_back(R, p, w, v):
    """Return Rᵀ w and Rᵀ(v − p×w), each (3,)."""
    a = v[0] - p[1] * w[2] + p[2] * w[1]
    b = v[1] - p[2] * w[0] + p[0] * w[2]
    c = v[2] - p[0] * w[1] + p[1] * w[0]
    return _turned_back(R, w[0], w[1], w[2]), _turned_back(R, a, b, c)


@kernel
def _turned_back(R, a, b, c):
    return (
        R[0, 0] * a + R[1, 0] * b + R[2, 0] * c,
        R[0, 1] * a + R[1, 1] * b + R[2, 1] * c,
        R[0, 2] * a + R[1, 2] * b + R[2, 2] * c,
    )


@kernel
def _halves(V):
    return (V[0], V[1], V[2]), (V[3], V[4], V[5])


@kernel
def _put(a, b, out):
    for i in range(3):
        out[i] = a[i]
        out[i + 3] = b[i]


@kernel
def transform_motion(R, p, V, out):
    """Write V in frame A of V in frame B: ω_A = R ω, v_A = R v + p×(R ω)."""
    w, v = _halves(V)
    w, v = _moved(R, p, w, v)
    _put(w, v, out)


@kernel
def transform_motion_inverse(R, p, V, out):
    """Write V in frame B of V in frame A: ω_B = Rᵀ ω, v_B = Rᵀ(v − p×ω)."""
    w, v = _halves(V)
    w, v = _moved_back(R, p, w, v)
    _put(w, v, out)


@kernel
def transform_force(R, p, F, out):
    """Write F in frame A of F in frame B: f_A = R f, t_A = R t + p×(R f)."""
    t, f = _halves(F)
    f, t = _moved(R, p, f, t)
    _put(t, f, out)


@kernel
def transform_force_inverse(R, p, F, out):
    """Write F in frame B of F in frame A: f_B = Rᵀ f, t_B = Rᵀ(t − p×f)."""
    t, f = _halves(F)
    f, t = _moved_back(R, p, f, t)
    _put(t, f, out)


@kernel
def motion_matrix(R, p, X):
    """Write X (6, 6) = [R 0; [p]R R] with V_A = X V_B."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        for n in range(3):
            X[i, n] = R[i, n]
            X[i, n + 3] = 0.0
            X[i + 3, n] = p[j] * R[k, n] - p[k] * R[j, n]
            X[i + 3, n + 3] = R[i, n]


@kernel
def force_matrix(R, p, X):
    """Write X (6, 6) = [R [p]R; 0 R] with F_A = X F_B; it is the inverse transpose of `motion_matrix`."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        for n in range(3):
            X[i, n] = R[i, n]
            X[i, n + 3] = p[j] * R[k, n] - p[k] * R[j, n]
            X[i + 3, n] = 0.0
            X[i + 3, n + 3] = R[i, n]


@kernel
def cross_motion(V, U, out):
    """Write V × U of spatial velocities: [ω×ω_U; ω×v_U + v×ω_U] (6,)."""
    a, b, c, d, e, f = V[0], V[1], V[2], V[3], V[4], V[5]
    u0, u1, u2, u3, u4, u5 = U[0], U[1], U[2], U[3], U[4], U[5]
    out[0] = b * u2 - c * u1
    out[1] = c * u0 - a * u2
    out[2] = a * u1 - b * u0
    out[3] = b * u5 - c * u4 + e * u2 - f * u1
    out[4] = c * u3 - a * u5 + f * u0 - d * u2
    out[5] = a * u4 - b * u3 + d * u1 - e * u0


@kernel
def cross_force(V, F, out):
    """Write V ×* F of a velocity and a force: [ω×t + v×f; ω×f] (6,)."""
    a, b, c, d, e, f = V[0], V[1], V[2], V[3], V[4], V[5]
    t0, t1, t2, f0, f1, f2 = F[0], F[1], F[2], F[3], F[4], F[5]
    out[0] = b * t2 - c * t1 + e * f2 - f * f1
    out[1] = c * t0 - a * t2 + f * f0 - d * f2
    out[2] = a * t1 - b * t0 + d * f1 - e * f0
    out[3] = b * f2 - c * f1
    out[4] = c * f0 - a * f2
    out[5] = a * f1 - b * f0


@kernel
def crm(V, X):
    """Write the matrix (6, 6) of `cross_motion`: [[ω] 0; [v] [ω]]."""
    _clear(X)
    _skew_block(V, 0, 0, 0, X)
    _skew_block(V, 3, 3, 0, X)
    _skew_block(V, 0, 3, 3, X)


@kernel
def crf(V, X):
    """Write the matrix (6, 6) of `cross_force`: [[ω] [v]; 0 [ω]] = −crm(V)ᵀ."""
    _clear(X)
    _skew_block(V, 0, 0, 0, X)
    _skew_block(V, 3, 0, 3, X)
    _skew_block(V, 0, 3, 3, X)


@kernel
def _clear(X):
    for i in range(6):
        for j in range(6):
            X[i, j] = 0.0


@kernel
def _skew_block(V, start, row, column, X):
    """Write the skew matrix of V[start:start+3] into the block of X at (row, column)."""
    x, y, z = V[start], V[start + 1], V[start + 2]
    X[row, column + 1] = -z
    X[row, column + 2] = y
    X[row + 1, column] = z
    X[row + 1, column + 2] = -x
    X[row + 2, column] = -y
    X[row + 2, column + 1] = x
