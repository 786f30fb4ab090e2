"""Muon in float32, batched by shape: the optimizer of the hidden matrices.

K. Jordan et al., "Muon: An optimizer for hidden layers in neural networks" (2024, kellerjordan.github.io/posts/muon):
the momentum of a matrix is replaced by the nearest semi-orthogonal one, found by five Newton-Schulz steps; the
update is scaled to the size AdamW's would have (J. Liu et al. 2025, arxiv.org/abs/2502.16982). ``torch.optim.Muon``
runs those steps in bfloat16, which a CPU without bfloat16 instructions emulates some fifteen times slower.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

#: Coefficients of the quintic iteration (Jordan et al.).
A, B, C = 3.4445, -4.7750, 2.0315


def orthogonal(stack: Tensor) -> Tensor:
    """The semi-orthogonal factor of each matrix in ``stack`` [n,rows,columns], to within about 0.3 of its values."""
    tall = stack.shape[1] > stack.shape[2]
    x = stack.transpose(1, 2) if tall else stack
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(5):
        gram = x @ x.transpose(1, 2)
        x = A * x + torch.baddbmm(gram, gram, gram, beta=B, alpha=C) @ x
    return x.transpose(1, 2) if tall else x


class Muon(torch.optim.Optimizer):
    """Momentum with Nesterov's correction, orthogonalised, decoupled weight decay."""

    def __init__(self, matrices: Iterable[Tensor], lr: float, momentum: float = 0.95, decay: float = 0.01) -> None:
        super().__init__(list(matrices), {"lr": lr, "momentum": momentum, "decay": decay})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        for group in self.param_groups:
            by_shape: dict[torch.Size, list[Tensor]] = {}
            for parameter in group["params"]:
                if parameter.grad is not None:
                    by_shape.setdefault(parameter.shape, []).append(parameter)
            for shape, parameters in by_shape.items():
                updates = []
                for parameter in parameters:
                    buffer = self.state[parameter].setdefault("momentum", torch.zeros_like(parameter))
                    buffer.lerp_(parameter.grad, 1 - group["momentum"])  # type: ignore[arg-type]
                    updates.append(parameter.grad.lerp(buffer, group["momentum"]))  # type: ignore[union-attr]
                scale = 0.2 * max(shape) ** 0.5
                for parameter, update in zip(parameters, orthogonal(torch.stack(updates)), strict=True):
                    parameter.mul_(1 - group["lr"] * group["decay"])
                    parameter.add_(update, alpha=-group["lr"] * scale)
