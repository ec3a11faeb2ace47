#!/usr/bin/python3
"""XLNet in plain PyTorch, as published: both streams, the relative shift materialised.

    xlnet_torch.py --case xlnet_train|xlnet_inf1 [--threads N] [--secs S]

Prints a line of JSON like the other peers, which peer.py --script runs. xlnet_train is a step of permutation
language modelling of xlnet-small, 8 texts of 128 tokens of which 21 are predicted; xlnet_inf1 reads one text.
"""
import argparse
import json
import resource
import statistics
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

VOCABULARY, LAYERS, WIDTH, HEADS, INNER = 32000, 4, 512, 8, 2048
TEXTS, LENGTH, PREDICTED = 8, 128, 21


def shift(x, keys):
    """[B,H,Q,N] by distance -> by key: row i begins at column Q - i (Dai et al. 2019, appendix B)."""
    B, H, Q, N = x.shape
    x = x.reshape(B, H, N, Q)[:, :, 1:].reshape(B, H, Q, N - 1)
    return x[..., :keys]


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        d = WIDTH // HEADS
        self.q, self.k, self.v, self.r, self.o = (nn.Parameter(torch.empty(WIDTH, WIDTH)) for _ in range(5))
        self.u, self.w, self.s = (nn.Parameter(torch.empty(HEADS, 1, d)) for _ in range(3))
        self.segment = nn.Parameter(torch.empty(2, HEADS, d))
        self.norm, self.norm_2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.f1, self.f2 = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        for p in (self.q, self.k, self.v, self.r, self.o, self.u, self.w, self.s, self.segment):
            nn.init.normal_(p, 0, 0.02)

    def heads(self, x):
        return x.view(x.size(0), x.size(1), HEADS, -1).transpose(1, 2)

    def attend(self, q, k, v, r, differs, hidden):
        by_content = (q + self.u) @ k.transpose(-1, -2)
        by_distance = shift((q + self.w) @ r.transpose(-1, -2), k.size(2))
        by_segment = torch.einsum('bhqd,shd->bhqs', q + self.s, self.segment)
        scores = by_content + by_distance + torch.where(differs, by_segment[..., 1:], by_segment[..., :1])
        scores = scores * (q.size(-1) ** -0.5)
        if hidden is not None:
            scores = scores - 1e30 * hidden
        y = F.softmax(scores, -1) @ v
        return y.transpose(1, 2).reshape(y.size(0), y.size(2), WIDTH)

    def after(self, x, y):
        x = self.norm(x + y @ self.o.t())
        return self.norm_2(x + self.f2(F.gelu(self.f1(x))))

    def forward(self, h, g, distances, differs, hidden, mapping):
        k, v, r = self.heads(h @ self.k), self.heads(h @ self.v), self.heads(distances @ self.r)
        content = None if hidden is None else hidden[0]
        y = self.after(h, self.attend(self.heads(h @ self.q), k, v, r, differs, content))
        if g is None:
            return y, None
        q = torch.einsum('bhpd,bpt->bhtd', self.heads(g @ self.q), mapping)
        z = self.attend(q, k, v, r, differs, hidden[1])
        return y, self.after(g, torch.einsum('btd,bpt->bpd', z, mapping))


class XLNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.mask = nn.Embedding(VOCABULARY, WIDTH), nn.Parameter(torch.empty(1, 1, WIDTH))
        nn.init.normal_(self.tokens.weight, 0, 0.02)
        nn.init.normal_(self.mask, 0, 0.02)
        self.layers = nn.ModuleList([Layer() for _ in range(LAYERS)])
        self.bias = nn.Parameter(torch.zeros(VOCABULARY))

    def forward(self, ids, segments, hidden=None, mapping=None):
        T = ids.size(1)
        frequency = 10000 ** (-torch.arange(0, WIDTH, 2) / WIDTH)
        angles = torch.arange(T, -T, -1.0).unsqueeze(1) * frequency
        distances = torch.cat([angles.sin(), angles.cos()], -1).unsqueeze(0)
        differs = (segments.unsqueeze(2) != segments.unsqueeze(1)).unsqueeze(1)
        if hidden is not None:
            others = hidden.unsqueeze(1)
            hidden = (others * (1 - torch.eye(T)), others)
        h = self.tokens(ids)
        g = None if mapping is None else self.mask.expand(ids.size(0), mapping.size(1), -1)
        for layer in self.layers:
            h, g = layer(h, g, distances, differs, hidden, mapping)
        return h if g is None else F.linear(g, self.tokens.weight, self.bias)


def draw(texts):
    """Texts, who is hidden from whom, which tokens are predicted, and what they are."""
    ids, segments = torch.randint(0, VOCABULARY, (texts, LENGTH)), torch.zeros(texts, LENGTH, dtype=torch.long)
    positions = torch.stack([torch.randperm(LENGTH)[:PREDICTED] for _ in range(texts)])
    rank = torch.full((texts, LENGTH), -1).scatter(1, positions, torch.arange(PREDICTED).expand(texts, -1))
    hidden = (rank.unsqueeze(1) >= rank.clamp(min=0).unsqueeze(2)).float()
    return ids, segments, hidden, F.one_hot(positions, LENGTH).float(), ids.gather(1, positions)


def repeat(work, secs):
    for _ in range(2):
        work()
    took, end = [], time.perf_counter() + secs
    while (time.perf_counter() < end or len(took) < 5) and len(took) < 400:
        began = time.perf_counter()
        work()
        took.append(time.perf_counter() - began)
    return took


def main():
    options = argparse.ArgumentParser()
    options.add_argument('--case', required=True)
    options.add_argument('--threads', type=int, default=2)
    options.add_argument('--secs', type=float, default=8)
    o = options.parse_args()
    torch.set_num_threads(o.threads)
    torch.manual_seed(1)
    model = XLNet()
    if o.case == 'xlnet_train':
        *inputs, targets = draw(TEXTS)
        optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3)

        def work():
            optimiser.zero_grad(set_to_none=True)
            F.cross_entropy(model(*inputs).reshape(-1, VOCABULARY), targets.reshape(-1)).backward()
            optimiser.step()
    elif o.case == 'xlnet_inf1':
        ids, segments, *_ = draw(1)
        model.eval()

        def work():
            with torch.no_grad():
                model(ids, segments)
    else:
        raise SystemExit('unknown case')
    took = repeat(work, o.secs)
    print(json.dumps({'tool': 'torch', 'case': o.case, 'threads': o.threads, 'n': len(took),
                      'ms': round(1e3 * statistics.median(took), 2), 'ms_min': round(1e3 * min(took), 2),
                      'rss_mib': resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
                      'params': sum(p.numel() for p in model.parameters())}))


if __name__ == '__main__':
    main()
