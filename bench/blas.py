#!/usr/bin/python3
"""Which library multiplies matrices in a process: what it has mapped, not what it was built for.

    blas.py [PID]

Prints one JSON line: 'mkl', 'openblas-openmp', or what else there is, where it lies, and for which
processor OpenBLAS chooses its kernels here. With its pthread build two pools of threads fight, and the
reference BLAS is slow by itself; a race against either would be no win. Nor would one against kernels
of an old processor, which OpenBLAS takes where it is older than the machine: with version 0.3.21 an
Emerald Rapids runs as a Prescott, on a quarter of its speed.
"""
import ctypes
import json
import re
import sys

GOOD = ['openblas-openmp', 'mkl']


def kind_of(path):
    """The kind of a BLAS library. OpenBLAS says how it runs its threads; a libblas.so.3 in front
    of it finds the same function."""
    if '/libmkl_' in path:
        return 'mkl'
    try:
        threads = ctypes.CDLL(path).openblas_get_parallel()
    except (OSError, AttributeError):
        return 'other'
    return 'openblas-' + {0: 'serial', 1: 'pthreads', 2: 'openmp'}.get(threads, 'unknown')


def core_of(path):
    """The processor that OpenBLAS takes the machine for; '' for other libraries."""
    try:
        name = ctypes.CDLL(path).openblas_get_corename
    except (OSError, AttributeError):
        return ''
    name.restype = ctypes.c_char_p
    return name().decode()


def loaded(pid='self'):
    """The kind and the path of the BLAS in a process; of several, one that is not good."""
    with open(f'/proc/{pid}/maps') as maps:
        fields = (line.split(maxsplit=5) for line in maps)
        paths = sorted({f[5].strip() for f in fields if len(f) > 5})
    found = [p for p in paths if re.search(r'/lib(?!cublas)[\w-]*(blas|blis|atlas|mkl_)[^/]*$', p)]
    kinds = {kind_of(p): p for p in found}
    for kind in sorted(set(kinds) - set(GOOD)) + GOOD:
        if kind in kinds:
            return kind, kinds[kind]
    return 'none', ''


if __name__ == '__main__':
    found = dict(zip(('blas', 'path'), loaded(*sys.argv[1:2])))
    print(json.dumps({**found, 'core': core_of(found['path'])}))
