"""Small dense linear algebra for cases that ask about their own data. Matrices are lists of rows."""
import math


def unpack(packed, size):
    """Unpacks a symmetric or upper triangular matrix, packed by columns, into a full upper triangle."""
    out = [[0.0] * size for _ in range(size)]
    position = 0
    for column in range(size):
        for row in range(column + 1):
            out[row][column] = packed[position]
            position += 1
    return out


def symmetric(upper):
    size = len(upper)
    return [[upper[min(i, j)][max(i, j)] for j in range(size)] for i in range(size)]


def outer(a, b):
    return [[x * y for y in b] for x in a]


def add(a, b, factor=1.0):
    return [[x + factor * y for x, y in zip(r, s)] for r, s in zip(a, b)]


def scale(a, factor):
    return [[x * factor for x in r] for r in a]


def trace(a):
    return math.fsum(a[i][i] for i in range(len(a)))


def determinant(a):
    a = [list(r) for r in a]
    size, out = len(a), 1.0
    for k in range(size):
        pivot = max(range(k, size), key=lambda i: abs(a[i][k]))
        if a[pivot][k] == 0:
            return 0.0
        if pivot != k:
            a[k], a[pivot] = a[pivot], a[k]
            out = -out
        out *= a[k][k]
        for i in range(k + 1, size):
            f = a[i][k] / a[k][k]
            a[i] = [x - f * y for x, y in zip(a[i], a[k])]
    return out


def eigenvalues(a):
    """Returns the eigenvalues of a symmetric matrix in ascending order, by Jacobi rotations."""
    a = [list(r) for r in a]
    size = len(a)
    for _ in range(100):
        off = sum(a[i][j] ** 2 for i in range(size) for j in range(size) if i != j)
        if off <= 1e-34 * sum(a[i][i] ** 2 for i in range(size)):
            break
        for p in range(size - 1):
            for q in range(p + 1, size):
                if a[p][q] == 0:
                    continue
                theta = (a[q][q] - a[p][p]) / (2 * a[p][q])
                t = math.copysign(1, theta) / (abs(theta) + math.hypot(theta, 1))
                c = 1 / math.hypot(t, 1)
                s = t * c
                for k in range(size):
                    x, y = a[k][p], a[k][q]
                    a[k][p], a[k][q] = c * x - s * y, s * x + c * y
                for k in range(size):
                    x, y = a[p][k], a[q][k]
                    a[p][k], a[q][k] = c * x - s * y, s * x + c * y
    return sorted(a[i][i] for i in range(size))
