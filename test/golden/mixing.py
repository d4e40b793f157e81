"""The hashes by which pgfit deals rows: SplitMix64 (Steele, Lea & Flood 2014), FNV-1a, and the hash of a row's content. For the scripts that write cases."""
import struct

MASK = (1 << 64) - 1
STEP = 0x9e3779b97f4a7c15


def mix(x):
    x = ((x ^ x >> 30) * 0xbf58476d1ce4e5b9) & MASK
    x = ((x ^ x >> 27) * 0x94d049bb133111eb) & MASK
    return x ^ x >> 31


def bits(number):
    return struct.unpack("<Q", struct.pack("<d", number))[0]


def class_number(label):
    """Returns the FNV-1a hash of a label, cut to what a double holds."""
    out = 14695981039346656037
    for byte in label.encode():
        out = ((out ^ byte) * 1099511628211) & MASK
    return float(out >> 12)


def rows_hash(seed, numbers):
    out = mix((seed + STEP) & MASK)
    for i, number in enumerate(numbers):
        out = mix((out + STEP + mix(bits(number + 0.0) ^ i)) & MASK)
    return mix(out ^ len(numbers))


def permutation(n, seed, r):
    """Returns permutation r of n ranks: whose numbers a rank gets."""
    state = mix((mix((seed + STEP) & MASK) + r) & MASK)
    out = [0] * n
    for i in range(n):
        state = (state + STEP) & MASK
        other = mix(state) * (i + 1) >> 64
        out[i] = out[other]
        out[other] = i
    return out
