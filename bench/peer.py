#!/usr/bin/python3
"""The same cases in PyTorch.

    peer.py --case NAME [--threads N] [--secs S]
    peer.py --script FILE --case NAME [--threads N] [--secs S]
    peer.py --blas

Prints one JSON line: median ms of a step, RSS, and the BLAS library that this process has really
loaded, read from its own memory map after the work. The names of the cases carry their sizes; see
bench.h, layers.c, gemm.c, optim.c and tape.c for what each does. Where PyTorch offers two ways,
both are tried and the faster one is timed. A script that has cases of its own takes the same options
and prints such a line; it is run in here, and the BLAS is added to it.
"""
import argparse
import contextlib
import io
import json
import math
import re
import resource
import runpy
import statistics
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

from blas import core_of, loaded

WARM_UP, MIN_RUNS, MAX_RUNS = 3, 5, 20000


# ---- which BLAS ---------------------------------------------------------------------------------

def blas():
    """What multiplies matrices here, by name and path."""
    a = torch.ones(64, 64)
    a @ a
    if torch.backends.mkl.is_available():  # often inside torch's own library, not beside it
        return 'mkl', torch.__file__
    return loaded()


def run_script(path, options):
    """The line of JSON that another script prints in this process."""
    sys.argv, said = [path, *options], io.StringIO()
    with contextlib.redirect_stdout(said):
        runpy.run_path(path, run_name='__main__')
    return json.loads(said.getvalue().splitlines()[-1])


# ---- layers -------------------------------------------------------------------------------------

class Attention(nn.Module):
    """Multi-head self-attention written by hand, queries, keys and values in one product."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x, mask):
        B, T, D = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(mask, float('-inf'))
        return self.out((F.softmax(scores, -1) @ v).transpose(1, 2).reshape(B, T, D))


class Library(nn.Module):
    """The same with nn.MultiheadAttention."""

    def __init__(self, width, heads):
        super().__init__()
        self.mha = nn.MultiheadAttention(width, heads, batch_first=True)

    def forward(self, x, mask):
        return self.mha(x, x, x, attn_mask=mask, need_weights=False)[0]


def forward_backward(forward, leaves):
    """A step from a given gradient; leaves are what gets one."""
    with torch.no_grad():
        gradient = torch.randn_like(forward()) * 1e-2

    def step():
        for leaf in leaves:
            leaf.grad = None
        forward().backward(gradient)
    return step


def loss_backward(loss, leaves):
    def step():
        for leaf in leaves:
            leaf.grad = None
        loss().backward()
    return step


def gemm(words, m, n, k):
    a = torch.randn(k, m).t() if words.endswith('tn') else torch.randn(m, k)
    b = torch.randn(n, k).t() if words.endswith('nt') else torch.randn(k, n)
    c = torch.empty(m, n)
    return [lambda: torch.mm(a, b, out=c)]


def linear(_, n, i, o):
    x, layer = torch.randn(n, i, requires_grad=True), nn.Linear(i, o)
    return [forward_backward(lambda: layer(x), [x, *layer.parameters()])]


def recurrent(words, b, t, h):
    make = nn.GRU if words.startswith('gru') else nn.LSTM
    layer = make(h, h, batch_first=True, bidirectional='_bi' in words)
    x = torch.randn(b, t, h, requires_grad='_fwd' not in words)
    if '_fwd' not in words:
        return [forward_backward(lambda: layer(x)[0], [x, *layer.parameters()])]
    layer.eval()

    def infer():
        with torch.no_grad():
            layer(x)
    return [infer]


def mha(words, b, t, d, heads):
    x = torch.randn(b, t, d, requires_grad=True)
    mask = torch.triu(torch.ones(t, t, dtype=torch.bool), 1) if '_causal' in words else None
    return [forward_backward(lambda layer=layer: layer(x, mask), [x, *layer.parameters()])
            for layer in (Attention(d, heads), Library(d, heads))]


def read(words, b, q, n, d):
    """One read as tutorials write it; the keys are prepared."""
    x, keys, values = (torch.randn(b, m, d, requires_grad=True) for m in (q, n, n))
    leaves = [x, keys, values]
    if words.endswith('scaled-dot'):
        def scores():
            return torch.bmm(x, keys.transpose(1, 2)) / math.sqrt(d)
    else:
        w_q, w_v = nn.Linear(d, d, bias=False), nn.Linear(d, 1, bias=False)
        leaves += [*w_q.parameters(), *w_v.parameters()]

        def scores():
            return w_v(torch.tanh(w_q(x).unsqueeze(2) + keys.unsqueeze(1))).squeeze(-1)
    return [forward_backward(lambda: torch.bmm(F.softmax(scores(), -1), values), leaves)]


def attend(words, b, q, n, d, heads):
    """Attention alone, of heads that are slices."""
    x, keys, values = (torch.randn(b, m, d, requires_grad='_fwd' not in words) for m in (q, n, n))

    def cut(y):
        return y.view(b, -1, heads, d // heads).transpose(1, 2)

    def step():
        w = F.softmax(cut(x) @ cut(keys).transpose(2, 3) / math.sqrt(d // heads), -1)
        return (w @ cut(values)).transpose(1, 2).reshape(b, q, d)
    if '_fwd' not in words:
        return [forward_backward(step, [x, keys, values])]

    def infer():
        with torch.no_grad():
            step()
    return [infer]


def xent(_, n, v):
    x, y = torch.randn(n, v, requires_grad=True), torch.randint(0, v, (n,))
    return [loss_backward(lambda: F.cross_entropy(x, y), [x])]


def xent_proj(_, n, d, v):
    x, y = torch.randn(n, d, requires_grad=True), torch.randint(0, v, (n,))
    layer = nn.Linear(d, v, bias=False)
    return [loss_backward(lambda: F.cross_entropy(layer(x), y), [x, *layer.parameters()])]


# ---- optimisers and the tape --------------------------------------------------------------------

def translator_shapes(v=6630, h=256):
    gru = [(3 * h, h), (3 * h, h), (3 * h,), (3 * h,)]
    return [(v, h), (v, h)] + 2 * gru + [
        (h, h), (h,), (h, h), (h,), (h, 2 * h), (h,), (3 * h, 3 * h), (3 * h, h), (3 * h,), (3 * h,),
        (h, 4 * h), (h,), (v, h), (v,)]


def adam(_):
    parameters = [nn.Parameter(torch.randn(s) * 0.02) for s in translator_shapes()]
    for p in parameters:
        p.grad = torch.randn_like(p) * 1e-3
    # foreach=True took 1.2 to 2 times as long on CPUs, and one more copy of the model
    return [torch.optim.Adam(parameters, lr=1e-3).step]


def tape_add(_):
    start, one = torch.zeros(1, requires_grad=True), torch.ones(1, requires_grad=True)

    def step():
        start.grad = one.grad = None
        x = start
        for _ in range(10000):
            x = x + one
        x.backward()
    return [step]


KINDS = [('gemm', gemm), ('linear', linear), ('gru', recurrent), ('lstm', recurrent), ('mha', mha),
         ('read', read), ('attend', attend), ('xent_proj', xent_proj), ('xent', xent), ('adam', adam),
         ('tape_add', tape_add)]


# ---- the clock ----------------------------------------------------------------------------------

def repeat(step, secs):
    took, end = [], time.perf_counter() + secs
    while (time.perf_counter() < end or len(took) < MIN_RUNS) and len(took) < MAX_RUNS:
        start = time.perf_counter()
        step()
        took.append(time.perf_counter() - start)
    return took


def fastest(steps):
    """The step to be timed, warm."""
    tried = []
    for step in steps:
        for _ in range(WARM_UP):
            start = time.perf_counter()
            step()
        tried.append(time.perf_counter() - start)
    return steps[tried.index(min(tried))]


def run_case(name, threads, secs):
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    words, sizes = re.fullmatch(r'(.*?)(?:_(\d+(?:x\d+)*))?', name).groups()
    make = next((make for kind, make in KINDS if words.startswith(kind)), None)
    if make is None:
        sys.exit(f'{name}: no such case')
    step = fastest(make(words, *map(int, sizes.split('x'))) if sizes else make(words))
    took = repeat(step, secs)
    return {'case': name, 'tool': 'torch', 'threads': threads,
            'ms': statistics.median(took) * 1e3, 'ms_min': min(took) * 1e3, 'n': len(took),
            'rss_mib': resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--case', default='')
    parser.add_argument('--threads', type=int, default=2)
    parser.add_argument('--secs', type=float, default=1.0)
    parser.add_argument('--script', metavar='FILE', help='another script that has this case')
    parser.add_argument('--blas', action='store_true', help='only say which BLAS is loaded')
    args = parser.parse_args()
    if args.blas:
        line = {'torch': torch.__version__}
    elif args.script:
        line = run_script(args.script, ['--case', args.case, '--threads', str(args.threads),
                                        '--secs', str(args.secs)])
    else:
        line = run_case(args.case, args.threads, args.secs)
    kind, path = blas()
    print(json.dumps({**line, 'blas': kind, 'path': path, 'core': core_of(path)}), flush=True)


main()
