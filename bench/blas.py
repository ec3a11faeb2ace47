#!/usr/bin/python3
"""Which library multiplies matrices in a process: what it has mapped, not what it was built for.

    blas.py [PID]

Prints one JSON line: 'mkl', 'openblas-openmp', or what else there is, and where it lies. With
OpenBLAS' pthread build two pools of threads fight, and the reference BLAS is slow by itself; a race
against either would be no win.
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
    print(json.dumps(dict(zip(('blas', 'path'), loaded(*sys.argv[1:2])))))
