/* Rows of a batch, cut into shards that threads work on alone. */
#ifndef ATTEND_TRAIN_SHARDS_H
#define ATTEND_TRAIN_SHARDS_H

enum { ATTEND_SHARDS_MOST = 64 };

typedef struct {
    int count, first[ATTEND_SHARDS_MOST + 1]; /* shard i: rows first[i] .. first[i + 1] - 1 */
} at_shards;

/* As many shards as were asked for, but none without a row. */
static inline at_shards at_shards_cut(int rows, int shards)
{
    at_shards s = {.count = shards < rows ? shards : rows};
    for (int i = 0; i <= s.count; i++)
        s.first[i] = s.count ? (int)((long)rows * i / s.count) : 0;
    return s;
}

#endif
