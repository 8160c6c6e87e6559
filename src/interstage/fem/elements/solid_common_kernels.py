"""Kernels of solid elements: gradients, Jacobians, stiffness and mass integrals.

Gradients of k nodes are arrays G (3, k), G[i, n] = dN_n/dx_i. Strains are in the order xx yy zz xy yz zx with
engineering shears; `voigt` (3, 3) gives the strain row of a pair of axes.
"""

from __future__ import annotations

import numpy as np

from interstage.jit import kernel


@kernel
def gradients(x, dN, G):
    """Write Cartesian gradients G (3, k) of shape functions at one point; return det of the Jacobian."""
    k = x.shape[0]
    a = b = c = d = e = f = g = h = i = 0.0
    for n in range(k):
        r, s, t = dN[0, n], dN[1, n], dN[2, n]
        a += r * x[n, 0]
        b += r * x[n, 1]
        c += r * x[n, 2]
        d += s * x[n, 0]
        e += s * x[n, 1]
        f += s * x[n, 2]
        g += t * x[n, 0]
        h += t * x[n, 1]
        i += t * x[n, 2]
    A, B, C = e * i - f * h, f * g - d * i, d * h - e * g
    det = a * A + b * B + c * C
    q = 1.0 / det
    D, E, F = c * h - b * i, a * i - c * g, b * g - a * h
    U, V, W = b * f - c * e, c * d - a * f, a * e - b * d
    for n in range(k):
        r, s, t = dN[0, n] * q, dN[1, n] * q, dN[2, n] * q
        G[0, n] = A * r + D * s + U * t
        G[1, n] = B * r + E * s + V * t
        G[2, n] = C * r + F * s + W * t
    return det


@kernel
def determinants(xyz, dN, det):
    """Jacobian determinants det (n, p) at the p points of the table dN (p, 3, k)."""
    for e in range(xyz.shape[0]):
        x = xyz[e]
        for p in range(dN.shape[0]):
            J = dN[p] @ x
            det[e, p] = (
                J[0, 0] * (J[1, 1] * J[2, 2] - J[1, 2] * J[2, 1])
                - J[0, 1] * (J[1, 0] * J[2, 2] - J[1, 2] * J[2, 0])
                + J[0, 2] * (J[1, 0] * J[2, 1] - J[1, 1] * J[2, 0])
            )


@kernel
def tensor_form(C, voigt, D):
    """Write D (9, 9): D[3c+d, 3i+j] = C[(c,i), (d,j)], so that a 3x3 block of K is D times a block of Q."""
    for c in range(3):
        for d in range(3):
            for i in range(3):
                for j in range(3):
                    D[3 * c + d, 3 * i + j] = C[voigt[c, i], voigt[d, j]]


@kernel
def add_products(G, w, Q):
    """Add w ∂_i N_n ∂_j N_m to Q[n, m, 3i+j] for m >= n."""
    k = G.shape[1]
    for n in range(k):
        a, b, c = w * G[0, n], w * G[1, n], w * G[2, n]
        for m in range(n, k):
            x, y, z = G[0, m], G[1, m], G[2, m]
            q = Q[n, m]
            q[0] += a * x
            q[1] += a * y
            q[2] += a * z
            q[3] += b * x
            q[4] += b * y
            q[5] += b * z
            q[6] += c * x
            q[7] += c * y
            q[8] += c * z


@kernel
def is_isotropic(C):
    """Whether C (6, 6) is exactly λ, μ of an isotropic material."""
    mu, lam = C[3, 3], C[0, 1]
    for i in range(6):
        for j in range(6):
            want = lam if i < 3 and j < 3 else 0.0
            if i == j:
                want += 2.0 * mu if i < 3 else mu
            if abs(C[i, j] - want) > 1e-14 * abs(C[0, 0]):
                return False
    return True


@kernel
def contract_isotropic(Q, lam, mu, K):
    """Write K_nm = λ Q_nm + μ (Q_nmᵀ + tr(Q_nm) I), the isotropic case of `contract`."""
    k = Q.shape[0]
    for n in range(k):
        for m in range(n, k):
            q = Q[n, m]
            trace = mu * (q[0] + q[4] + q[8])
            for c in range(3):
                for d in range(3):
                    s = lam * q[3 * c + d] + mu * q[3 * d + c]
                    if c == d:
                        s += trace
                    K[3 * n + c, 3 * m + d] = s
                    K[3 * m + d, 3 * n + c] = s


@kernel
def contract(Q, C, voigt, D, K):
    """Write K[3n+c, 3m+d] = Σ_ij C[(c,i), (d,j)] Q[n, m, 3i+j] and its transpose; D (9, 9) is scratch."""
    if is_isotropic(C):
        contract_isotropic(Q, C[0, 1], C[3, 3], K)
        return
    tensor_form(C, voigt, D)
    k = Q.shape[0]
    for n in range(k):
        for m in range(n, k):
            q = Q[n, m]
            for c in range(3):
                for d in range(3):
                    row = D[3 * c + d]
                    s = 0.0
                    for j in range(9):
                        s += row[j] * q[j]
                    K[3 * n + c, 3 * m + d] = s
                    K[3 * m + d, 3 * n + c] = s


@kernel
def isoparametric_stiffness(xyz, C, dN, weights, voigt, K):
    """Write K (n, 3k, 3k) = ∫ Bᵀ C B dV for elements xyz (n, k, 3) with moduli C (n, 6, 6), basic axes.

    The integrals Q of products of gradients do not involve the material; C is applied once an element.
    """
    n, k = xyz.shape[0], xyz.shape[1]
    G = np.empty((3, k))
    Q = np.empty((k, k, 9))
    D = np.empty((9, 9))
    for e in range(n):
        Q[:] = 0.0
        for p in range(dN.shape[0]):
            det = gradients(xyz[e], dN[p], G)
            add_products(G, weights[p] * det, Q)
        contract(Q, C[e], voigt, D, K[e])


@kernel
def smoothed_shear_stiffness(xyz, C, dN, weights, smooth, voigt, K):
    """Write K (n, 3k, 3k) with shear strains projected onto the functions `smooth` (p, s), element axes.

    γ̄ = Σ_a m_a β_a with ∫ m_b (γ̄ − γ) dV = 0: since 1 is among the functions, ∫ γ̄ = ∫ γ and constant
    stress states stay exact on any shape; on a parallelepiped it is sampling at the reduced Gauss points.

    With the projected gradients Ḡ, ∫ Ḡ Ḡᵀ = ∫ G Ḡᵀ = P = (∫ m G)ᵀ (∫ m mᵀ)⁻¹ (∫ m G); so the stiffness is
    that of P in place of Q = ∫ G Gᵀ, except for the products of two direct strains.
    """
    n, k = xyz.shape[0], xyz.shape[1]
    s_count = smooth.shape[1]
    G = np.empty((3, k))
    Q = np.empty((k, k, 9))
    P = np.empty((k, k, 9))
    D = np.empty((9, 9))
    mean = np.empty((s_count, 3 * k))
    M = np.empty((s_count, s_count))
    for e in range(n):
        Q[:] = 0.0
        mean[:] = 0.0
        M[:] = 0.0
        for p in range(dN.shape[0]):
            w = weights[p] * gradients(xyz[e], dN[p], G)
            add_products(G, w, Q)
            for a in range(s_count):
                f = w * smooth[p, a]
                for b in range(s_count):
                    M[a, b] += f * smooth[p, b]
                for i in range(3):
                    for m in range(k):
                        mean[a, i * k + m] += f * G[i, m]
        beta = np.linalg.solve(M, mean)
        P[:] = 0.0
        for s in range(s_count):
            for a in range(k):
                for b in range(a, k):
                    for i in range(3):
                        f = mean[s, i * k + a]
                        for j in range(3):
                            P[a, b, 3 * i + j] += f * beta[s, j * k + b]
        Ke = K[e]
        contract(P, C[e], voigt, D, Ke)
        for a in range(k):
            for b in range(a, k):
                for c in range(3):
                    for d in range(3):
                        f = C[e, c, d] * (Q[a, b, 3 * c + d] - P[a, b, 3 * c + d])
                        Ke[3 * a + c, 3 * b + d] += f
                        if a != b:
                            Ke[3 * b + d, 3 * a + c] += f


@kernel
def condense(A, L, K):
    """Subtract Lᵀ A⁻¹ L from K: A (m, m) positive definite, overwritten; L (m, k), overwritten; K (k, k).

    A mode without stiffness (zero modulus) has a zero pivot and drops out.
    """
    m, k = L.shape
    for i in range(m):
        limit = 1e-13 * A[i, i]
        for j in range(i):
            s = A[i, j]
            for q in range(j):
                s -= A[i, q] * A[j, q]
            A[i, j] = s * A[j, j]
        s = A[i, i]
        for q in range(i):
            s -= A[i, q] * A[i, q]
        A[i, i] = 1.0 / np.sqrt(s) if s > limit else 0.0
        for q in range(i):
            f = A[i, q]
            for c in range(k):
                L[i, c] -= f * L[q, c]
        for c in range(k):
            L[i, c] *= A[i, i]
    for i in range(m):
        for a in range(k):
            f = L[i, a]
            for b in range(k):
                K[a, b] -= f * L[i, b]


@kernel
def mass_integrals(xyz, N, dN, weights, M):
    """Write M (n, k, k) = ∫ N_a N_b dV and return nothing; density is applied by the caller."""
    k = xyz.shape[1]
    G = np.empty((3, k))
    for e in range(xyz.shape[0]):
        Me = M[e]
        Me[:] = 0.0
        for p in range(dN.shape[0]):
            w = weights[p] * gradients(xyz[e], dN[p], G)
            for a in range(k):
                f = w * N[p, a]
                for b in range(a, k):
                    Me[a, b] += f * N[p, b]
        for a in range(k):
            for b in range(a):
                Me[a, b] = Me[b, a]
