/* Rows of a batch, cut into shards: a thread works on each of several; one shard is worked on by
 * all threads together, inside its products. */
#ifndef ATTEND_TRAIN_SHARDS_H
#define ATTEND_TRAIN_SHARDS_H

enum { ATTEND_SHARDS_MOST = 64 };

typedef struct {
    int count, first[ATTEND_SHARDS_MOST + 1]; /* shard i: rows first[i] .. first[i + 1] - 1 */
} at_shards;

/* At most `shards` of them, none without a row. */
static inline at_shards at_shards_cut(int rows, int shards)
{
    int most = shards < ATTEND_SHARDS_MOST ? shards : ATTEND_SHARDS_MOST;
    at_shards s = {.count = most < rows ? most : rows};
    for (int i = 0; i <= s.count; i++)
        s.first[i] = s.count ? (int)((long)rows * i / s.count) : 0;
    return s;
}

/* The number of shards by default: one per thread; but one shard where weights are so large that
 * the gradients of the other shards would need more memory than the activations of the batch, and
 * that products are large enough for all threads. In bytes: weights, which are as many as the
 * gradients of one shard, and the activations of the longest batch. */
static inline int at_shards_usual(int threads, double weights, double activations)
{
    const double large = 64 << 20;
    if (weights >= large && weights * (threads - 1) > activations)
        return 1;
    return threads < ATTEND_SHARDS_MOST ? threads : ATTEND_SHARDS_MOST;
}

#endif
