#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"

static at_arena arena;

static int enter(void **state)
{
    (void)state;
    at_arena_init(&arena, 1000);
    return at_alloc_live() != 0;
}

static int leave(void **state)
{
    (void)state;
    at_alloc_fail_after(-1);
    at_arena_free(&arena);
    return at_alloc_live() != 0;
}

/* piece i of a round: sizes and kinds without any pattern, some larger than a chunk */
static size_t size_of_piece(uint32_t seed, uint32_t i)
{
    at_random r = {.seed = seed};
    uint32_t kind = at_random_below(r, 2 * i, 10);
    return at_random_below(r, 2 * i + 1, kind == 0 ? 20000 : kind < 4 ? 700 : 50);
}

static unsigned char *take_piece(uint32_t seed, uint32_t i)
{
    size_t size = size_of_piece(seed, i);
    bool small = at_random_u32((at_random){.seed = seed, .use = 1}, i) & 1;
    unsigned char *m = small ? at_arena_alloc_small(&arena, size) : at_arena_alloc(&arena, size);
    assert_non_null(m);
    assert_int_equal((uintptr_t)m % (small ? 16 : 64), 0);
    return m;
}

static void take_round(uint32_t seed, uint32_t pieces)
{
    for (uint32_t i = 0; i < pieces; i++)
        memset(take_piece(seed, i), 1, size_of_piece(seed, i));
}

static void pieces_do_not_overlap_while_it_grows(void **state)
{
    (void)state;
    enum { PIECES = 500 };
    unsigned char *piece[PIECES];
    for (uint32_t i = 0; i < PIECES; i++)
        memset(piece[i] = take_piece(7, i), (int)(i % 251), size_of_piece(7, i));
    for (uint32_t i = 0; i < PIECES; i++)
        for (size_t j = 0; j < size_of_piece(7, i); j++)
            assert_int_equal(piece[i][j], i % 251);
    assert_true(at_alloc_live() > 1);
    assert_true(at_alloc_live() < 30); /* chunks grow with the whole */
}

static void asks_for_nothing_before_the_first_piece(void **state)
{
    (void)state;
    assert_int_equal(at_alloc_live(), 0);
    assert_int_equal(at_arena_size(&arena), 0);
    at_arena_reset(&arena);
    at_arena_release(&arena, at_arena_mark_here(&arena));
    assert_non_null(at_arena_alloc(&arena, 10));
    assert_true(at_arena_size(&arena) >= 1000);
}

static void the_second_round_asks_for_nothing(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 50; seed++) {
        at_arena_free(&arena);
        at_arena_init(&arena, 1 + 37 * seed);
        take_round(seed, 100);
        at_arena_reset(&arena);
        assert_int_equal(at_alloc_live(), 1);
        long count = at_alloc_count();
        for (int round = 0; round < 3; round++) {
            take_round(seed, 100);
            at_arena_reset(&arena);
        }
        assert_int_equal(at_alloc_count(), count);
    }
}

/* chunks filled to the last byte, of sizes that are no multiple of the alignment */
static void the_second_round_fits_however_chunks_were_filled(void **state)
{
    (void)state;
    at_arena_init(&arena, 100);
    long count = 0;
    for (int round = 0; round < 3; round++) {
        if (round)
            at_arena_reset(&arena);
        if (round == 1)
            count = at_alloc_count();
        for (int i = 0; i < 2; i++) {
            at_arena_alloc(&arena, 36);
            at_arena_alloc_small(&arena, 52);
        }
    }
    assert_int_equal(at_alloc_count(), count);
}

static void reset_keeps_the_memory(void **state)
{
    (void)state;
    void *first = at_arena_alloc(&arena, 100);
    size_t size = at_arena_size(&arena);
    at_arena_reset(&arena);
    assert_int_equal(at_arena_size(&arena), size);
    assert_ptr_equal(at_arena_alloc(&arena, 100), first);
    take_round(3, 300);
    size = at_arena_size(&arena);
    at_arena_reset(&arena);
    assert_true(at_arena_size(&arena) >= size);
}

static void release_gives_back_what_came_after_the_mark(void **state)
{
    (void)state;
    char *kept = at_arena_alloc(&arena, 6);
    strcpy(kept, "hello");
    at_arena_mark mark = at_arena_mark_here(&arena);
    void *first = at_arena_alloc(&arena, 100);
    take_round(5, 300);
    at_arena_release(&arena, mark);
    assert_ptr_equal(at_arena_alloc(&arena, 100), first);
    assert_string_equal(kept, "hello");
}

static void marks_nest(void **state)
{
    (void)state;
    at_arena_mark outer = at_arena_mark_here(&arena);
    void *a = at_arena_alloc(&arena, 600);
    at_arena_mark inner = at_arena_mark_here(&arena);
    void *b = at_arena_alloc(&arena, 600);
    at_arena_release(&arena, inner);
    assert_ptr_equal(at_arena_alloc(&arena, 600), b);
    at_arena_release(&arena, outer);
    assert_ptr_equal(at_arena_alloc(&arena, 600), a);
}

static void a_loop_with_a_mark_settles(void **state)
{
    (void)state;
    at_arena_alloc(&arena, 900);
    long count = 0;
    for (int i = 0; i < 10; i++) {
        at_arena_mark mark = at_arena_mark_here(&arena);
        take_round(11, 50);
        at_arena_release(&arena, mark);
        if (i == 0)
            count = at_alloc_count();
    }
    assert_int_equal(at_alloc_count(), count);
}

static void a_chunk_too_small_for_the_next_piece_is_kept_for_later(void **state)
{
    (void)state;
    at_arena_alloc(&arena, 900);
    at_arena_mark mark = at_arena_mark_here(&arena);
    at_arena_alloc(&arena, 1000);
    at_arena_release(&arena, mark);
    unsigned char *large = at_arena_alloc(&arena, 100000), *small = at_arena_alloc(&arena, 200);
    memset(large, 1, 100000);
    memset(small, 2, 200);
    assert_int_equal(large[99999], 1);
    assert_int_equal(at_alloc_live(), 3);
}

static void empty_pieces_are_pieces(void **state)
{
    (void)state;
    assert_non_null(at_arena_alloc(&arena, 0));
    assert_non_null(at_arena_alloc_small(&arena, 0));
}

static void without_memory_the_arena_stays_usable(void **state)
{
    (void)state;
    at_alloc_fail_after(0);
    assert_null(at_arena_alloc(&arena, 10));
    at_alloc_fail_after(-1);
    char *kept = at_arena_alloc(&arena, 10);
    strcpy(kept, "hello");
    at_alloc_fail_after(0);
    assert_null(at_arena_alloc(&arena, 100000));
    assert_null(at_arena_alloc_small(&arena, 100000));
    assert_non_null(at_arena_alloc(&arena, 100)); /* of the chunk that is there */
    assert_string_equal(kept, "hello");
    at_alloc_fail_after(-1);
    take_round(1, 100);
    at_alloc_fail_after(0);
    at_arena_reset(&arena);
    at_alloc_fail_after(-1);
    take_round(1, 100);
}

static void impossible_sizes_fail(void **state)
{
    (void)state;
    const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 63, SIZE_MAX - 200, SIZE_MAX / 2 + 1};
    for (int i = 0; i < 4; i++) {
        assert_null(at_arena_alloc(&arena, sizes[i]));
        assert_null(at_arena_alloc_small(&arena, sizes[i]));
        at_arena_alloc(&arena, 10);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, enter, leave)

static void counts_what_it_has_given_out(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a, 256);
    assert_int_equal(at_arena_used(&a), 0);
    at_arena_alloc(&a, 100);
    assert_int_equal(at_arena_used(&a), 100);
    at_arena_alloc(&a, 1000);
    assert_int_equal(at_arena_used(&a), 1100);
    at_arena_reset(&a);
    assert_int_equal(at_arena_used(&a), 0);
    at_arena_free(&a);
}

/* A round of pieces, some of which are kept: they keep their content, all else is free again. */
static void kept_pieces_move_down(void **state)
{
    (void)state;
    enum { PIECES = 40, KEPT = 3 };
    for (unsigned seed = 1; seed <= 300; seed++) {
        at_arena a;
        at_arena_init(&a, 256);
        unsigned char *before = at_arena_alloc(&a, 100);
        memset(before, 77, 100);
        at_arena_mark mark = at_arena_mark_here(&a);
        size_t used = 0;
        for (int round = 0; round < 4; round++) {
            void *memory[PIECES];
            size_t bytes[PIECES];
            for (int i = 0; i < PIECES; i++) {
                seed = seed * 1103515245 + 12345;
                bytes[i] = seed / 65536 % 3000;
                memory[i] = at_arena_alloc(&a, bytes[i]);
                memset(memory[i], i, bytes[i]);
            }
            int which[KEPT] = {(int)(seed / 7 % PIECES), (int)(seed / 77 % PIECES), 0};
            which[2] = which[0]; /* twice the same */
            at_arena_piece piece[KEPT + 1];
            for (int i = 0; i < KEPT; i++)
                piece[i] = (at_arena_piece){memory[which[i]], bytes[which[i]], NULL};
            piece[KEPT] = (at_arena_piece){before, 100, NULL};
            assert_true(at_arena_keep(&a, mark, KEPT + 1, piece));
            assert_ptr_equal(piece[KEPT].moved, before);
            for (int i = 0; i < KEPT; i++)
                for (size_t j = 0; j < bytes[which[i]]; j++)
                    assert_int_equal(((unsigned char *)piece[i].moved)[j], which[i]);
            assert_true(at_arena_used(&a) < 100 + 3 * 3100 + 6 * 64);
            used = at_arena_size(&a);
        }
        for (int j = 0; j < 100; j++)
            assert_int_equal(before[j], 77);
        assert_true(used < 40 * 3100 * 3);
        at_arena_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_what_it_has_given_out),
        cmocka_unit_test(kept_pieces_move_down),
        TEST(pieces_do_not_overlap_while_it_grows),
        TEST(asks_for_nothing_before_the_first_piece),
        TEST(the_second_round_asks_for_nothing),
        TEST(the_second_round_fits_however_chunks_were_filled),
        TEST(reset_keeps_the_memory),
        TEST(release_gives_back_what_came_after_the_mark),
        TEST(marks_nest),
        TEST(a_loop_with_a_mark_settles),
        TEST(a_chunk_too_small_for_the_next_piece_is_kept_for_later),
        TEST(empty_pieces_are_pieces),
        TEST(without_memory_the_arena_stays_usable),
        TEST(impossible_sizes_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
