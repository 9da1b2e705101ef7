#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands of dsa_indexer for acceptance cases, and checks of what came back.

    cases.py make CASE OUT.npz        cases.py check CASE IN.npz RESULT.npz [OTHER.npz ...]

The cache is a part of a larger member where a case looks at the bytes around it. A check says why
it fails and exits 1. Needs numpy only.
"""
import functools
import sys

import numpy as np

HEADS, DIM, ROPE, TABLE, PAGE = 32, 128, 64, 16, 64
ENTRY = DIM + 4  # bytes of a token in the cache
PAGE_BYTES = PAGE * ENTRY
GUARD = 4096
A5 = 0xA5
A5_FLOAT = np.frombuffer(b"\xa5" * 4, np.float32)[0]


def bf16(values):
    bits = values.astype(np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def random_operands(tokens, pages, seed, ids=np.int64):
    """Every operand, outputs and cache filled with A5; positions and slots count up."""
    random = np.random.Generator(np.random.PCG64(seed))
    angle = random.uniform(0, 6.28, (TABLE, ROPE // 2))
    return {
        "q": bf16(random.normal(0, 3, (tokens, HEADS, DIM))),
        "k": bf16(random.normal(0, 3, (tokens, DIM))),
        "gate": bf16(random.normal(0, 1, (tokens, HEADS))),
        "gamma": random.normal(1, 0.1, DIM).astype(np.float32),
        "beta": random.normal(0, 0.1, DIM).astype(np.float32),
        "angle": np.concatenate([np.cos(angle), np.sin(angle)], axis=1).astype(np.float32),
        "pos": (np.arange(tokens) % TABLE).astype(ids),
        "slot": np.arange(tokens).astype(ids),
        "q8": np.full((tokens, HEADS, DIM), A5, np.uint8),
        "w": np.full((tokens, HEADS), A5_FLOAT, np.float32),
        "index_k": np.full((pages, PAGE_BYTES), A5, np.uint8),
    }


def untouched(array):
    return bool((np.frombuffer(array.tobytes(), np.uint8) == A5).all())


def entry(cache, slot):
    """The bytes of a slot in linear pages: codes, then its scale."""
    page = cache.reshape(-1, PAGE_BYTES)[slot // PAGE]
    t = slot % PAGE
    return np.concatenate([page[t * DIM:][:DIM], page[PAGE * DIM + 4 * t:][:4]])


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def expect(condition, what):
    if not condition:
        sys.exit("wrong: " + what)


# --- padding with rubbish: only three rows may be stored, between guard areas ------------------

RUBBISH_SLOTS = [5, -1, 64, -1, 2, -1]
RUBBISH_POSITIONS = [0, 10**9, 1, -7, 2, 2**62]
CLAMPED_POSITIONS = [0, TABLE - 1, 1, 0, 2, TABLE - 1]


def guarded(members):
    cache = members.pop("index_k").reshape(-1)
    fence = np.full(GUARD, A5, np.uint8)
    members["arena"] = np.concatenate([fence, cache, fence])


def make_rubbish():
    members = random_operands(6, 2, seed=15)
    members["slot"] = np.array(RUBBISH_SLOTS)
    members["pos"] = np.array(RUBBISH_POSITIONS)
    guarded(members)
    return members


def make_clamped():
    """The same rows with positions and slots inside, which every row of the result is known by."""
    members = random_operands(6, 2, seed=15)
    members["slot"] = np.array([5, 100, 64, 101, 2, 102])
    members["pos"] = np.array(CLAMPED_POSITIONS)
    guarded(members)
    return members


def check_cache_of_three(result, clamped):
    arena, whole = result["arena"], clamped["arena"]
    expect(untouched(arena[:GUARD]) and untouched(arena[-GUARD:]), "a guard area has changed")
    cache, stored = arena[GUARD:-GUARD], whole[GUARD:-GUARD]
    for slot in range(2 * PAGE):
        if slot in (5, 64, 2):
            expect(same(entry(cache, slot), entry(stored, slot)) and not untouched(entry(cache, slot)),
                   f"slot {slot} does not hold its row")
        else:
            expect(untouched(entry(cache, slot)), f"slot {slot} is written")


def check_skip_store(_, result, clamped):
    check_cache_of_three(result, clamped)
    for name in ("q8", "w"):
        expect(same(result[name], clamped[name]), f"{name} is not that of the clamped positions")
        expect(not any(untouched(row) for row in result[name]), f"{name} has a row that is not written")


def check_skip_all(_, result, clamped):
    check_cache_of_three(result, clamped)
    for name in ("q8", "w"):
        for row in range(6):
            if RUBBISH_SLOTS[row] < 0:
                expect(untouched(result[name][row]), f"{name} of padding {row} is written")
            else:
                expect(same(result[name][row], clamped[name][row]), f"{name} of row {row} is wrong")


def check_skip_all_queries(_, result, fused):
    expect(sorted(result.files) == ["q8", "w"], "the file has other members")
    for name in ("q8", "w"):
        expect(same(result[name], fused[name]), f"{name} differs from the fused kernel's")


def check_skip_all_keys(_, result, fused):
    expect(result.files == ["arena"], "the file has other members")
    expect(same(result["arena"], fused["arena"]), "the cache differs from the fused kernel's")


# --- a short slot_mapping ------------------------------------------------------------------------

def make_short():
    members = random_operands(512, 9, seed=16)
    members["slots"] = np.concatenate([508 - np.arange(509), np.full(509, 8 * PAGE + 30)])
    return members


def check_short(given, result, *_):
    for name in ("q8", "w"):
        expect(untouched(result[name][509:]), f"a row of {name} past 508 is written")
        expect(not untouched(result[name][508]), f"row 508 of {name} is not written")
    cache = result["index_k"].reshape(-1)
    expect(untouched(entry(cache, 8 * PAGE + 30)), "a slot past 508 was read")
    for slot in range(9 * PAGE):
        expect(untouched(entry(cache, slot)) == (slot > 508), f"slot {slot}")


# --- a slot outside ------------------------------------------------------------------------------

def make_outside():
    members = random_operands(5, 2, seed=17)
    members["slot"] = np.array([3, -1, 7, 2 * PAGE, 9])
    members["slots"] = np.stack([np.zeros(5, np.int64), members["slot"]], axis=1)
    return members


def make_outside_many():
    members = random_operands(300, 2, seed=17)
    members["slot"] = np.where(np.arange(300) < 123, -1, 2**32 + 5 + np.arange(300))
    members["pos"] = np.where(np.arange(300) % 7 == 6, -np.arange(300), np.arange(300) % TABLE)
    return members


def check_outside(_, result, *others):
    cache = result["index_k"].reshape(-1)
    for slot in range(2 * PAGE):
        expect(untouched(entry(cache, slot)) == (slot not in (3, 7, 9)), f"slot {slot}")
    for other in others:
        for name in result.files:
            expect(same(result[name], other[name]), f"{name} differs in the checked build")


# --- one packed tensor of q | k | gate -----------------------------------------------------------

PACKED = HEADS * DIM + DIM + HEADS  # 4256


def make_packed():
    members = random_operands(7, 1, seed=19)
    packed = np.concatenate([members[name].reshape(7, -1) for name in ("q", "k", "gate")], axis=1)
    expect(packed.shape == (7, 4256), "q | k | gate has another width")
    members["qkg"] = packed
    for name in ("pos", "slot"):
        members[name + "32"] = members[name].astype(np.int32)
    # q8 and w as parts of larger members, between columns of others.
    members["q8_wide"] = np.full((7, 64 + HEADS * DIM + 16), A5, np.uint8)
    members["w_wide"] = np.full((7, 3, HEADS), A5_FLOAT, np.float32)
    # A stride on every axis that can have one.
    members["q_gaps"] = np.full((7, HEADS, DIM + 64), 0x7FC0, np.uint16)
    members["q_gaps"][:, :, 32:32 + DIM] = members["q"]
    members["gate_gaps"] = np.full((7, HEADS, 3), 0x7FC0, np.uint16)
    members["gate_gaps"][:, :, 1] = members["gate"]
    members["w_gaps"] = np.full((7, HEADS, 3), A5_FLOAT, np.float32)
    members["q8_gaps"] = np.full((7, 2, HEADS, DIM + 32), A5, np.uint8)
    members["f32s"] = np.full((TABLE, ROPE + HEADS), A5_FLOAT, np.float32)
    members["f32s"][:, :ROPE] = members["angle"]
    members["pos2"] = np.stack([members["pos"], members["slot"] + 2**40], axis=1)
    return members


def make_int16():
    members = make_packed()
    members["slot"] = members["slot"].astype(np.int16)
    return members


def check_same(_, result, *others):
    for other in others:
        expect(sorted(result.files) == sorted(other.files), "the files have other members")
        for name in result.files:
            expect(same(result[name], other[name]), f"{name} differs")


def check_wide(_, packed, wide):
    expect(sorted(wide.files) == ["index_k", "q8_wide", "w_wide"], "the file has other members")
    q8, w = wide["q8_wide"], wide["w_wide"]
    expect(q8[:, 64:64 + HEADS * DIM].tobytes() == packed["q8"].tobytes(), "q8 differs")
    expect(untouched(q8[:, :64]) and untouched(q8[:, 64 + HEADS * DIM:]), "a column beside q8 is written")
    expect(w[:, 1].tobytes() == packed["w"].tobytes(), "w differs")
    expect(untouched(w[:, 0]) and untouched(w[:, 2]), "a column beside w is written")


def check_gaps(_, packed, found):
    expect(sorted(found.files) == ["index_k", "q8_gaps", "w_gaps"], "the file has other members")
    q8, w = found["q8_gaps"], found["w_gaps"]
    expect(q8[:, 1, :, 16:16 + DIM].tobytes() == packed["q8"].tobytes(), "q8 differs")
    expect(untouched(q8[:, 0]) and untouched(q8[:, 1, :, :16]) and untouched(q8[:, 1, :, 16 + DIM:]), "a gap of q8")
    expect(w[:, :, 1].tobytes() == packed["w"].tobytes(), "w differs")
    expect(untouched(w[:, :, 0]) and untouched(w[:, :, 2]), "a gap of w is written")


def check_beside(given, packed, beside):
    found, before = beside["f32s"], given["f32s"]
    expect(found[:7, ROPE:].tobytes() == packed["w"].tobytes(), "w differs")
    expect(same(found[:, :ROPE], before[:, :ROPE]) and untouched(found[7:, ROPE:]), "more is written than w")


# --- packed pages --------------------------------------------------------------------------------

def make_pages():
    members = random_operands(150, 3, seed=26)
    random = np.random.Generator(np.random.PCG64(26))
    members["slot"] = random.permutation(3 * PAGE)[:150]
    members["gap4"] = np.full((3, PAGE_BYTES + 4), A5, np.uint8)
    members["gap64"] = np.full((3, PAGE_BYTES + 64), A5, np.uint8)
    members["layers"] = np.full((3, 4, PAGE_BYTES), A5, np.uint8)
    return members


def check_pages(_, dense, result):
    name, = [name for name in result.files if name not in ("q8", "w")]
    found = result[name]
    cache = found[:, 2] if name == "layers" else found[:, :PAGE_BYTES]
    expect(cache.tobytes() == dense["index_k"].tobytes() and not untouched(cache), "the rows differ")
    if name == "layers":
        expect(all(untouched(found[:, layer]) for layer in (0, 1, 3)), "another layer is written")
    else:
        expect(untouched(found[:, PAGE_BYTES:]), "a gap is written")


def make_two_caches():
    random = np.random.Generator(np.random.PCG64(126))
    return {
        "k": random.normal(0, 1, (20, DIM)).astype(np.float32),
        "v": random.normal(0, 1, (20, DIM)).astype(np.float32),
        "slot": random.permutation(32)[:20].astype(np.int32),
        "k_cache": np.full((2, 16 * ENTRY), A5, np.uint8),
        "v_cache": np.full((4, 16 * ENTRY), A5, np.uint8),
        "kv": np.full((2, 16 * ENTRY + 4), A5, np.uint8),
        "vv": np.full((4, 3, 16 * ENTRY), A5, np.uint8),
    }


def check_two_caches(_, dense, result):
    kv, vv = result["kv"], result["vv"]
    expect(kv[:, :16 * ENTRY].tobytes() == dense["k_cache"].tobytes(), "k differs")
    expect(vv[:, 1].tobytes() == dense["v_cache"].tobytes(), "v differs")
    expect(not untouched(kv[:, :16 * ENTRY]) and not untouched(vv[:, 1]), "nothing is stored")
    expect(untouched(kv[:, 16 * ENTRY:]) and untouched(vv[:, 0]) and untouched(vv[:, 2]), "a gap is written")


# --- decode context parallelism ------------------------------------------------------------------

RANKS, RANK_TOKENS = 8, 128


def own_slots(interleave, rank):
    """Slots are dealt to ranks in runs of `interleave`; another rank's are -1."""
    slot = np.arange(RANK_TOKENS)
    run = slot // interleave
    return np.where(run % RANKS == rank, run // RANKS * interleave + slot % interleave, -1)


def make_ranks():
    members = random_operands(RANK_TOKENS, 2, seed=27)
    members["slot"] = members["slot"].astype(np.int64)
    for interleave in (1, 4, 16):
        members[f"slots{interleave}"] = np.stack([own_slots(interleave, rank) for rank in range(RANKS)])
    return members


def check_ranks(interleave, _, one, *ranks):
    expect(len(ranks) == RANKS, "a rank is missing")
    union = np.full_like(one["index_k"], A5).reshape(-1)
    for number, rank in enumerate(ranks):
        for name in ("q8", "w"):
            expect(same(rank[name], one[name]), f"{name} of rank {number} differs")
        cache = rank["index_k"].reshape(-1)
        own = own_slots(interleave, number)
        expect((own >= 0).sum() == RANK_TOKENS // RANKS, "slots are dealt unevenly")
        for slot in range(2 * PAGE):
            expect(untouched(entry(cache, slot)) == (slot not in own), f"rank {number}, slot {slot}")
        for token in np.flatnonzero(own >= 0):
            page, t = divmod(int(token), PAGE)
            bytes_ = entry(cache, int(own[token]))
            at = page * PAGE_BYTES
            union[at + t * DIM:][:DIM] = bytes_[:DIM]
            union[at + PAGE * DIM + 4 * t:][:4] = bytes_[DIM:]
    expect(union.tobytes() == one["index_k"].tobytes(), "the union of the caches is not that of one rank")


# --- two row counts ------------------------------------------------------------------------------

def make_counts(queries, keys):
    def make():
        random = np.random.Generator(np.random.PCG64(28))
        angle = random.uniform(0, 6.28, (TABLE, ROPE // 2))
        members = {
            "q": bf16(random.normal(0, 3, (queries, 4, DIM))),
            "k": bf16(random.normal(0, 3, (keys, DIM))),
            "angle": np.concatenate([np.cos(angle), np.sin(angle)], axis=1).astype(np.float32),
            "q_pos": np.arange(queries) % TABLE,
            "k_pos": np.arange(keys) % TABLE,
            "slot": np.random.Generator(np.random.PCG64(1)).permutation(8 * PAGE)[:keys],
            "index_k": np.full((8, PAGE_BYTES), A5, np.uint8),
        }
        # The keys between other columns, which nobody may read.
        members["k_wide"] = np.full((keys, 16 + DIM + 8), 0x7FC0, np.uint16)
        members["k_wide"][:, 16:16 + DIM] = members["k"]
        members["slots"] = np.stack([np.zeros(keys, np.int64), members["slot"]], axis=1)
        return members
    return make


def check_counts(given, both, queries, keys):
    expect(sorted(both.files) == ["index_k", "q8", "qs"], "the file has other members")
    for name in ("q8", "qs"):
        expect(same(both[name], queries[name]), f"{name} differs from the kernel of that side")
        expect(len(both[name]) == len(given["q"]), f"{name} has another number of rows")
    expect(same(both["index_k"], keys["index_k"]), "index_k differs from the kernel of that side")
    stored = sum(not untouched(entry(both["index_k"].reshape(-1), slot)) for slot in range(8 * PAGE))
    expect(stored == len(given["k"]), "another number of keys is stored")


MAKE = {"rubbish": make_rubbish, "clamped": make_clamped, "short": make_short, "outside": make_outside,
        "outside_many": make_outside_many, "packed": make_packed, "int16": make_int16, "pages": make_pages,
        "two_caches": make_two_caches, "ranks": make_ranks,
        **{f"counts_{q}_{k}": make_counts(q, k) for q, k in ((64, 512), (512, 64), (0, 5), (5, 0))}}
CHECK = {"skip_store": check_skip_store, "skip_all": check_skip_all,
         "skip_all_queries": check_skip_all_queries, "skip_all_keys": check_skip_all_keys,
         "short": check_short, "outside": check_outside, "same": check_same, "wide": check_wide, "beside": check_beside, "gaps": check_gaps,
         "pages": check_pages, "two_caches": check_two_caches,
         **{f"ranks{i}": functools.partial(check_ranks, i) for i in (1, 4, 16)},
         "counts": check_counts}


def main():
    what, case, *files = sys.argv[1:]
    if what == "make":
        np.savez(files[0], **MAKE[case]())
    else:
        CHECK[case](*[np.load(file) for file in files])
        print(case, "is right")


if __name__ == "__main__":
    main()
