"""openai-whisper's word timing (timing.py, MIT licence, (c) 2022 OpenAI), its tensors made numpy arrays.

torch from the package index is the build for CUDA, with gigabytes of libraries, which no test should need.
What the original does on tensors is done here on arrays, line by line.
"""

import itertools

import numpy as np

TOKENS_PER_SECOND = 50
HOP_LENGTH_FRAMES = 2


def median_filter(x: np.ndarray, filter_width: int) -> np.ndarray:
    pad_width = filter_width // 2
    if x.shape[-1] <= pad_width:
        return x
    x = np.pad(x, ((0, 0), (0, 0), (pad_width, pad_width)), mode="reflect")
    unfolded = np.stack(
        [x[..., i : x.shape[-1] - filter_width + 1 + i] for i in range(filter_width)], axis=-1
    )
    return np.sort(unfolded, axis=-1)[..., filter_width // 2]


def backtrace(trace: np.ndarray) -> np.ndarray:
    i = trace.shape[0] - 1
    j = trace.shape[1] - 1
    trace[0, :] = 2
    trace[:, 0] = 1
    result = []
    while i > 0 or j > 0:
        result.append((i - 1, j - 1))
        if trace[i, j] == 0:
            i -= 1
            j -= 1
        elif trace[i, j] == 1:
            i -= 1
        elif trace[i, j] == 2:
            j -= 1
        else:
            raise ValueError("Unexpected trace[i, j]")
    return np.array(result)[::-1, :].T


def dtw_cpu(x: np.ndarray) -> np.ndarray:
    n, m = x.shape
    cost = np.ones((n + 1, m + 1), dtype=np.float32) * np.inf
    trace = -np.ones((n + 1, m + 1), dtype=np.float32)
    cost[0, 0] = 0
    for j in range(1, m + 1):
        for i in range(1, n + 1):
            c0 = cost[i - 1, j - 1]
            c1 = cost[i - 1, j]
            c2 = cost[i, j - 1]
            if c0 < c1 and c0 < c2:
                c, t = c0, 0
            elif c1 < c0 and c1 < c2:
                c, t = c1, 1
            else:
                c, t = c2, 2
            cost[i, j] = x[i - 1, j - 1] + c
            trace[i, j] = t
    return backtrace(trace)


def find_alignment(
    qks: list[np.ndarray],
    alignment_heads: tuple[tuple[int, int], ...],
    *,
    sot_sequence_length: int,
    num_frames: int,
    word_tokens: list[list[int]],
    medfilt_width: int = 7,
    qk_scale: float = 1.0,
) -> list[tuple[float, float]]:
    """Start and end of each word. qks: what the hooks on the cross-attention layers saw. word_tokens: as
    tokenizer.split_to_word_tokens(text_tokens + [eot]) makes them."""
    weights = np.stack([qks[layer][head] for layer, head in alignment_heads])
    weights = weights[:, :, : num_frames // HOP_LENGTH_FRAMES]
    weights = np.exp(weights * qk_scale - (weights * qk_scale).max(axis=-1, keepdims=True))  # softmax
    weights = weights / weights.sum(axis=-1, keepdims=True)
    mean, std = weights.mean(axis=-2, keepdims=True), weights.std(axis=-2, keepdims=True)
    weights = (weights - mean) / std
    weights = median_filter(weights, medfilt_width)
    matrix = weights.mean(axis=0)
    matrix = matrix[sot_sequence_length:-1]
    text_indices, time_indices = dtw_cpu(-matrix)
    word_boundaries = np.pad(np.cumsum([len(t) for t in word_tokens[:-1]]), (1, 0))
    jumps = np.pad(np.diff(text_indices), (1, 0), constant_values=1).astype(bool)
    jump_times = time_indices[jumps] / TOKENS_PER_SECOND
    start_times = jump_times[word_boundaries[:-1]]
    end_times = jump_times[word_boundaries[1:]]
    return list(zip(start_times.tolist(), end_times.tolist(), strict=True))


def split_tokens_on_spaces(token_texts: list[tuple[int, str]], eot: int) -> list[list[int]]:
    """tokenizer.split_tokens_on_spaces for tokens that each hold whole characters."""
    words: list[list[int]] = []
    texts: list[str] = []
    for token, text in itertools.chain(token_texts, [(eot, "")]):
        special = token >= eot
        with_space = text.startswith(" ")
        punctuation = text.strip() in {",", ".", "!", "?", ";", ":"}
        if special or with_space or punctuation or not words:
            words.append([token])
            texts.append(text)
        else:
            words[-1].append(token)
            texts[-1] += text
    return words
