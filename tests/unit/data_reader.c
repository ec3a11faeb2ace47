#include "data/reader.h"

#include "data_help.h"

static long live;

static int enter(void **state)
{
    (void)state;
    live = at_alloc_live();
    return 0;
}

static int leave(void **state)
{
    (void)state;
    at_alloc_fail_after(-1);
    return at_alloc_live() != live;
}

/* The format that is guessed for a text, and its examples. */
static void check_with(const char *text, const char *second, const at_read_options *options,
                       const char *format, const char *expected)
{
    at_str out = {0};
    attend_error err;
    at_example_reader *r;
    if (format) {
        at_stream *other = second ? bytes_of(second, strlen(second)) : NULL;
        assert_int_equal(at_examples_start(bytes_of(text, strlen(text)), other, options, &r, &err),
                         ATTEND_OK);
        assert_string_equal(at_examples_format(r)->name, format);
        at_examples_close(r);
    }
    if (read_all(&out, text, strlen(text), second, options, &err) < 0)
        fail_msg("%s", err.message);
    assert_string_equal(at_str_text(&out), expected);
    at_str_free(&out);
}

static void check(const char *text, const char *format, const char *expected)
{
    check_with(text, NULL, NULL, format, expected);
}

static void check_as(const char *format, const char *text, const char *expected)
{
    at_read_options options = {.format = format};
    check_with(text, NULL, &options, format, expected);
}

static void check_refused(const char *text, const char *second, const at_read_options *options,
                          attend_status expected, const char *said)
{
    at_str out = {0};
    attend_error err;
    assert_int_equal(read_all(&out, text, strlen(text), second, options, &err), expected);
    assert_says(&err, said);
    at_str_free(&out);
}

/* ---- pairs ------------------------------------------------------------------------------ */

static void pairs_keep_the_third_column_aside(void **state)
{
    (void)state;
    check("Go.\tVa !\tCC-BY 2.0 (France) #1\nHi.\tSalut !\tx\ty\n\nRun!\tCours\xE2\x80\xAF!\n",
          "pairs",
          "1:s[Go.]t[Va !]r[CC-BY 2.0 (France) #1]\n2:s[Hi.]t[Salut !]r[x\ty]\n"
          "4:s[Run!]t[Cours\xE2\x80\xAF!]\n");
    check("house\tmaison\nrun\tcourir\nrun\tcourse\n", "pairs",
          "1:s[house]t[maison]\n2:s[run]t[courir]\n3:s[run]t[course]\n");
    check_as("pairs", "a\t\n\tb\n", "1:s[a]t[]\n2:s[]t[b]\n");
    at_read_options options = {.format = "pairs"};
    check_refused("a\tb\nc d\n", NULL, &options, ATTEND_FORMAT,
                  "file:2: no tab: a pair is SOURCE, a tab, TARGET");
    options.reverse = true;
    check_with("a\tb\n", NULL, &options, "pairs", "1:s[b]t[a]\n");
}

static void aligned_files_go_line_by_line(void **state)
{
    (void)state;
    check_with("a\n\nc\n", "x\ny\n\n", NULL, "aligned", "1:s[a]t[x]\n2:s[]t[y]\n3:s[c]t[]\n");
    check_with("", "", NULL, "aligned", "");
    /* what other programs take for a line end must not break the alignment */
    check_with("a\u2028b\vc\n2\n", "x\xC2\x85y\n2\n", NULL, "aligned",
               "1:s[a\u2028b\vc]t[x\xC2\x85y]\n2:s[2]t[2]\n");
}

static void unequal_files_are_refused_with_both_counts(void **state)
{
    (void)state;
    check_refused("a\nb\nc\n", "x\n", NULL, ATTEND_FORMAT, "file has 3 lines, file has 1");
    check_refused("a\n", "x\ny\nz\nw", NULL, ATTEND_FORMAT, "file has 1 line, file has 4");
    at_read_options options = {.format = "aligned"};
    check_refused("a\n", NULL, &options, ATTEND_OPTION, "aligned files are two");
    options.format = "pairs";
    check_refused("a\n", "b\n", &options, ATTEND_OPTION, "two files are aligned ones");
}

static void bars_separate_as_for_word_aligners(void **state)
{
    (void)state;
    check("oh , oh !   ||| oh , oh !  \na ||| b ||| c\n", "bars",
          "1:s[oh , oh !]t[oh , oh !]\n2:s[a]t[b ||| c]\n");
    check_refused("a ||| b\na ||| b\na ||| b\na ||| b\na ||| b\na ||| b\na ||| b\na ||| b\n"
                  "a ||| b\na ||| b\na ||| b\na|||b\n",
                  NULL, NULL, ATTEND_FORMAT, "file:12: no \" ||| \"");
}

/* ---- labels ----------------------------------------------------------------------------- */

static void trec_has_coarse_and_fine_labels(void **state)
{
    (void)state;
    const char *text = "DESC:manner How did it end ?\nNUM:dist How far is it ?\n";
    check(text, "trec",
          "1:s[How did it end ?]l[DESC]r[manner]\n2:s[How far is it ?]l[NUM]r[dist]\n");
    check_as("trec-fine", text,
             "1:s[How did it end ?]l[DESC:manner]\n2:s[How far is it ?]l[NUM:dist]\n");
    at_read_options options = {.format = "trec"};
    check_refused("DESC:manner How ?\nWhat ?\n", NULL, &options, ATTEND_FORMAT, "file:2: no label");
}

static void latin1_in_trec_is_refused_replaced_or_converted(void **state)
{
    (void)state;
    const char *text = "DESC:def What is a caf\xE9 ?\nNUM:dist How far is it ?\n";
    at_read_options options = {0};
    check_refused(text, NULL, &options, ATTEND_FORMAT, "file:1: byte 0xE9");
    options.lines.encoding = ATTEND_ENCODING_REPLACE;
    check_with(text, NULL, &options, "trec",
               "1:s[What is a caf\uFFFD ?]l[DESC]r[def]\n2:s[How far is it ?]l[NUM]r[dist]\n");
    options.lines.encoding = ATTEND_ENCODING_LATIN1;
    check_with(text, NULL, &options, "trec",
               "1:s[What is a café ?]l[DESC]r[def]\n2:s[How far is it ?]l[NUM]r[dist]\n");
}

static void sst_is_label_blank_text(void **state)
{
    (void)state;
    check("1 a fine film\n0 a dull one\n", "sst", "1:s[a fine film]l[1]\n2:s[a dull one]l[0]\n");
    check("__label__good it works\n__label__bad it does not\n", "sst",
          "1:s[it works]l[__label__good]\n2:s[it does not]l[__label__bad]\n");
    check_as("sst", "neg bad film\n", "1:s[bad film]l[neg]\n");
}

static void tables_of_glue_have_names(void **state)
{
    (void)state;
    check("sentence\tlabel\nhide new secretions \t0\n\"quoted\" word\t1\n", "tsv",
          "2:s[hide new secretions ]l[0]\n3:s[\"quoted\" word]l[1]\n");
    check("index\tquestion\tsentence\tlabel\n0\tWho ?\tHe did .\tentailment\n", "tsv",
          "2:s[Who ?]t[He did .]l[entailment]\n");
    check("Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n1\t70\t71\tOne \"x .\tTwo .\n", "tsv",
          "2:s[One \"x .]t[Two .]l[1]\n");
}

static void tables_without_names_show_their_labels(void **state)
{
    (void)state;
    check("pos\tI liked it very much\npos\tSo did I\nneg\tNot me\n", "tsv",
          "1:s[I liked it very much]l[pos]\n2:s[So did I]l[pos]\n3:s[Not me]l[neg]\n");
    check("pos\tI liked it\nneg\tNot me\npos\tSo did I\n", "tsv", /* they need not be neighbours */
          "1:s[I liked it]l[pos]\n2:s[Not me]l[neg]\n3:s[So did I]l[pos]\n");
    check("I liked it\tpos\nSo did I\tpos\n", "tsv",
          "1:s[I liked it]l[pos]\n2:s[So did I]l[pos]\n");
    check("\"3\",\"A title\",\"And, a \"\"text\"\"\"\n\"4\",\"Other\",\"More\"\n", "csv",
          "1:s[A title And, a \"text\"]l[3]\n2:s[Other More]l[4]\n");
}

static void cells_in_quotes_may_hold_lines(void **state)
{
    (void)state;
    check("label,text\nx,\"one\ntwo, \"\"three\"\"\"\ny,plain\r\nz,\"\"\n", "csv",
          "2:s[one\ntwo, \"three\"]l[x]\n4:s[plain]l[y]\n5:s[]l[z]\n");
    check("text;label\na, b;1\n", NULL, "1:!s[text;label]\n2:s[a, b;1]\n");
    check_as("csv", "text;label\na, b;1\n", "2:s[a, b]l[1]\n");
    at_read_options options = {.format = "csv"};
    check_refused("label,text\n1,a\n2,\"open\n3,b\n", NULL, &options, ATTEND_FORMAT,
                  "file:3: a quote opens in this row and does not close");
    check_refused("label,text\n1,a\n2\n", NULL, &options, ATTEND_FORMAT,
                  "file:3: 1 cell, but column 2 is needed");
}

static void a_text_cut_by_its_own_separators_is_refused(void **state)
{
    (void)state;
    at_read_options csv = {.format = "csv"}, tsv = {.format = "tsv"};
    check_refused("label,text\n1,a\n2,\"of\ntwo\", and more\n", NULL, &csv, ATTEND_FORMAT,
                  "file:3: 3 cells, but the first row has 2; a text with separators stands in "
                  "quotes");
    check_refused("pos\tall is well\nneg\tall is\tnot\n", NULL, &tsv, ATTEND_FORMAT,
                  "file:2: 3 cells, but the first row has 2; a text cannot hold tabs");
    check_as("csv", "label,text\n1,a,,\n2,\"b, c\",\n", "2:s[a]l[1]\n3:s[b, c]l[2]\n");
}

static void columns_can_be_named(void **state)
{
    (void)state;
    const char *text = "id,title,body,kind\n7,A,B c,x\n8,D,E f,y\n";
    at_read_options options = {
        .format = "csv", .source_column = "title,body", .label_column = "kind"};
    check_with(text, NULL, &options, "csv", "2:s[A B c]l[x]\n3:s[D E f]l[y]\n");
    options.source_column = "2";
    options.target_column = "3";
    check_with(text, NULL, &options, "csv", "2:s[A]t[B c]l[x]\n3:s[D]t[E f]l[y]\n");
    options.source_column = "titel";
    check_refused(text, NULL, &options, ATTEND_OPTION,
                  "file:1: no column is called \"titel\"; there are id, title, body, kind");
    options.source_column = "9";
    check_refused(text, NULL, &options, ATTEND_FORMAT, "there is no column 9, only 4");
    at_read_options plain = {.format = "csv"};
    check_refused("times,accel\n2.4,0\n", NULL, &plain, ATTEND_FORMAT,
                  "file:1: which column is the text? They are times, accel");
    plain.header = ATTEND_HEADER_NO;
    check_with(
        "text,label\na b,1\n", NULL,
        &(at_read_options){
            .format = "csv", .header = ATTEND_HEADER_NO, .source_column = "1", .label_column = "2"},
        "csv", "1:s[text]l[label]\n2:s[a b]l[1]\n");
}

static void a_named_column_restricts_the_guess(void **state)
{
    (void)state;
    at_read_options options = {.source_column = "3", .target_column = "1"};
    check_with("a b\tc d\te f\ng h\ti j\tk l\n", NULL, &options, "tsv",
               "1:s[e f]t[a b]\n2:s[k l]t[g h]\n");
    check_with("", NULL, &options, "text", "");
    check_refused("{\"text\": \"a\"}\n", NULL, &options, ATTEND_FORMAT, "no key \"3\"");
    check_refused("a b\n", "c d\n", &options, ATTEND_OPTION,
                  "--text 3: aligned files have no columns");
    options = (at_read_options){.label_column = "1"};
    check_refused("1 so good\n0 so bad\n", NULL, &options, ATTEND_OPTION,
                  "--label 1: file has no columns, it looks like sst");
    options.format = "pairs";
    check_refused("a\tb\n", NULL, &options, ATTEND_OPTION,
                  "--label 1: format pairs has no columns; --format tsv");
}

/* These widths take days if a guess walks the line anew for every column. */
static void a_guess_is_linear_in_columns(void **state)
{
    (void)state;
    enum { COLUMNS = 400000 };
    static char line[2 * COLUMNS + 64];
    static const char tail[] = "\nGo.\tVa !\nHi.\tSalut !\n";
    const char *const format[] = {"pairs", "text", "text", "text", "text"};
    const char separator[] = "\t,;| ";
    for (int k = 0; k < 5; k++) {
        for (size_t i = 0; i < COLUMNS; i++) {
            line[2 * i] = 'a';
            line[2 * i + 1] = separator[k];
        }
        size_t size = 2 * COLUMNS - 1;
        assert_string_equal(at_format_guess("c", line, size, true, false)->name, format[k]);
        memcpy(line + size, tail, sizeof tail);
        assert_string_equal(at_format_guess("c", line, size + sizeof tail - 1, true, false)->name,
                            "pairs");
    }
    const char names[] = "label\ttext\t";
    memcpy(line, names, sizeof names - 1);
    for (size_t i = sizeof names - 1; i < 2 * COLUMNS; i++)
        line[i] = i % 2 ? '\t' : 'a';
    assert_string_equal(at_format_guess("c", line, 2 * COLUMNS, true, false)->name, "tsv");
}

/* ---- JSON ------------------------------------------------------------------------------- */

static void json_lines_have_the_usual_keys(void **state)
{
    (void)state;
    check("{\"src\": \"a\", \"tgt\": \"b\"}\n{\"tgt\": \"d\", \"src\": \"c\\n\\u00e9\"}\n", "jsonl",
          "1:s[a]t[b]\n2:s[c\né]t[d]\n");
    check("{\"translation\": {\"en\": \"Go.\", \"de\": \"Geh.\"}}\n", "jsonl", "1:s[Go.]t[Geh.]\n");
    check("{\"text\": \"x\", \"label\": 1}\n{\"label\": true, \"text\": \"y\"}\n", "jsonl",
          "1:s[x]l[1]\n2:s[y]l[true]\n");
    check("{\"premise\": \"p\", \"hypothesis\": \"h\", \"label\": \"neutral\"}\n", "jsonl",
          "1:s[p]t[h]l[neutral]\n");
    check("{\"id\": \"7\", \"context\": \"x \\u00e9 yz\", \"question\": \"q\", \"answers\": "
          "{\"text\": [\"yz\", \"\\u00e9\"], \"answer_start\": [4, 2]}}\n",
          "jsonl", "1:s[x é yz]q[q]i[7]a[yz]@4a[é]@2\n");
    at_read_options options = {.source_column = "de", .target_column = "en"};
    check_with("{\"translation\": {\"en\": \"Go.\", \"de\": \"Geh.\"}}\n", NULL, &options, "jsonl",
               "1:s[Geh.]t[Go.]\n");
}

static void json_keys_may_change_their_order(void **state)
{
    (void)state;
    check("{\"translation\": {\"en\": \"Go.\", \"de\": \"Geh.\"}}\n"
          "{\"translation\": {\"de\": \"Halt.\", \"en\": \"Stop.\"}}\n",
          "jsonl", "1:s[Go.]t[Geh.]\n2:s[Stop.]t[Halt.]\n");
    check("{\"en\": \"Go.\", \"fr\": \"Va.\"}\n{\"id\": 3, \"fr\": \"Non.\", \"en\": \"No.\"}\n",
          "jsonl", "1:s[Go.]t[Va.]\n2:s[No.]t[Non.]\n");
    check("{\"id\": 7, \"zh-CN\": \"好\", \"en\": \"Good\"}\n", "jsonl", "1:s[好]t[Good]\n");
}

static void json_lines_have_the_keys_of_the_first(void **state)
{
    (void)state;
    at_read_options options = {.format = "jsonl"};
    check_refused("{\"translation\": {\"en\": \"a\", \"de\": \"b\"}}\n"
                  "{\"translation\": {\"en\": \"a\", \"fr\": \"b\"}}\n",
                  NULL, &options, ATTEND_FORMAT,
                  "file:2: no key \"de\", as line 1 has it; there are en, fr");
    check_refused("{\"translation\": {\"en\": \"a\", \"de\": \"b\"}}\n{\"en\": \"a\"}\n", NULL,
                  &options, ATTEND_FORMAT, "file:2: no key \"translation\"");
    check_refused("{\"src\": \"a\", \"tgt\": \"b\"}\n{\"source\": \"a\", \"target\": \"b\"}\n",
                  NULL, &options, ATTEND_FORMAT, "file:2: no key \"src\", as line 1 has it");
    check_refused("{\"text\": \"a\", \"label\": 1}\n\n{\"text\": \"b\"}\n", NULL, &options,
                  ATTEND_FORMAT, "file:3: no key \"label\", as line 1 has it; there are text");
    check_refused("{\"text\": \"a\"}\n{\"text\": \"b\", \"label\": 1}\n", NULL, &options,
                  ATTEND_FORMAT, "file:2: a key \"label\", which line 1 has not");
    check_refused("{\"question\": \"a\", \"context\": \"b\", \"answers\": []}\n{\"text\": \"b\"}\n",
                  NULL, &options, ATTEND_FORMAT, "file:2: no key \"question\", as line 1 has it");
    options.lenient = true;
    check_with(
        "{\"src\": \"a\", \"tgt\": \"b\"}\n{\"src\": \"a\"}\n{\"tgt\": \"d\", \"src\": \"c\"}\n",
        NULL, &options, "jsonl", "1:s[a]t[b]\n3:s[c]t[d]\n");
}

static void json_lines_say_what_is_wrong_and_where(void **state)
{
    (void)state;
    at_read_options options = {.format = "jsonl"};
    check_refused("{\"text\": \"a\"}\n{\"text\": }\n", NULL, &options, ATTEND_FORMAT,
                  "file:2: column ");
    check_refused("[1]\n", NULL, &options, ATTEND_FORMAT, "file:1: a line must be one JSON object");
    check_refused("{\"a\": 1, \"b\": 2}\n", NULL, &options, ATTEND_FORMAT,
                  "file:1: which key is the text? There are a, b");
    check_refused("{\"text\": 5}\n", NULL, &options, ATTEND_FORMAT, "\"text\" must be a string");
    check_refused("{\"text\": \"a\", \"label\": {}}\n", NULL, &options, ATTEND_FORMAT,
                  "is no label");
    options.source_column = "x";
    check_refused("{\"text\": \"a\"}\n", NULL, &options, ATTEND_FORMAT,
                  "no key \"x\"; there are text");
}

static const char squad[] =
    "{\"version\": \"v2.0\", \"data\": [\n"
    " {\"title\": \"T\", \"paragraphs\": [\n"
    "  {\"context\": \"Caf\\u00e9 by the sea.\", \"qas\": [\n"
    "   {\"question\": \"Where?\", \"id\": \"1\", \"answers\": [\n"
    "     {\"text\": \"the sea\", \"answer_start\": 8}, {\"text\": \"sea\", \"answer_start\": "
    "12}]},\n"
    "   {\"question\": \"Why?\", \"id\": \"2\", \"is_impossible\": true, \"answers\": [],\n"
    "    \"plausible_answers\": [{\"text\": \"sea\", \"answer_start\": 12}]}]},\n"
    "  {\"qas\": [{\"question\": \"What?\", \"id\": \"3\", \"answers\": [{\"text\": \"it\", "
    "\"answer_start\": 0}]}], \"context\": \"it\"}]},\n"
    " {\"paragraphs\": []}]}\n";

static void squad_gives_questions_with_places_of_answers(void **state)
{
    (void)state;
    check(squad, "squad",
          "3:s[Café by the sea.]q[Where?]i[1]a[the sea]@8a[sea]@12\n"
          "3:s[Café by the sea.]q[Why?]i[2]\n"
          "8:s[it]q[What?]i[3]a[it]@0\n");
}

static void squad_says_what_is_wrong_and_where(void **state)
{
    (void)state;
    at_read_options options = {.format = "squad"};
    check_refused(
        "{\"data\": [\n{\"paragraphs\": [{\"context\": \"abc\",\n\"qas\": [{\"question\": "
        "\"q\", \"answers\": [{\"text\": \"b\", \"answer_start\": 2}]}]}]}]}",
        NULL, &options, ATTEND_FORMAT, "file:2: the answer \"b\" does not stand at character 2");
    check_refused("{\"data\": [{\"paragraphs\": [{\"context\": 1}]}]}", NULL, &options,
                  ATTEND_FORMAT, "a paragraph needs \"context\" and \"qas\"");
    check_refused("{\"version\": 1}", NULL, &options, ATTEND_FORMAT, "no \"data\" in it");
    check_refused("{\"data\": [{\"paragraphs\": [", NULL, &options, ATTEND_FORMAT, "ends early");
    check_refused("{\"data\": {}}", NULL, &options, ATTEND_FORMAT, "[ is wanted here");
    check_refused("{\"data\": []} x", NULL, &options, ATTEND_FORMAT, "the end is wanted here");
    check_refused("{\"data\": [] \"x\"", NULL, &options, ATTEND_FORMAT, ", or } is wanted here");
    /* every cut is an error, never a crash and never silence */
    for (size_t cut = 1; cut + 2 < sizeof squad; cut++) {
        at_str out = {0};
        attend_error err;
        assert_int_equal(read_all(&out, squad, cut, NULL, &options, &err), ATTEND_FORMAT);
        at_str_free(&out);
    }
}

static void subjqa_takes_answers_from_their_indices(void **state)
{
    (void)state;
    check("question,review,human_ans_spans,human_ans_indices,q_review_id\n"
          "How?,\"The café is \"\"nice\"\" ANSWERNOTFOUND\",\"is nice\",\"(9, 18)\",a\n"
          "Why?,Bad. ANSWERNOTFOUND,ANSWERNOTFOUND,\"(5, 19)\",b\n",
          "subjqa", "2:s[The café is \"nice\"]q[How?]i[a]a[is \"nice\"]@9\n3:s[Bad.]q[Why?]i[b]\n");
    check_refused("question,review,human_ans_spans,human_ans_indices\nQ,R x,x,7\n", NULL, NULL,
                  ATTEND_FORMAT, "file:2: human_ans_indices is not \"(begin, end)\"");
    check_refused("question,review,human_ans_spans,human_ans_indices\nQ,R,x,\"(7, 9)\"\n", NULL,
                  NULL, ATTEND_FORMAT, "file:2: the answer's place (7, 9) is not in the review");
    check_refused("question,human_ans_spans,human_ans_indices\n", NULL, NULL, ATTEND_FORMAT,
                  "no column is called \"review\"");
}

static void babi_stories_grow_and_begin_anew(void **state)
{
    (void)state;
    check("1 Mary went.\n2 Where is Mary?\tgarden\t1\n3 Bill ran.\n4 Where is Bill? \thall\t3\n"
          "1 Ann sat.\n2 Did Ann sit?\tyes\t1\n",
          "babi",
          "2:s[Mary went.]l[garden]q[Where is Mary?]\n"
          "4:s[Mary went. Bill ran.]l[hall]q[Where is Bill?]\n"
          "6:s[Ann sat.]l[yes]q[Did Ann sit?]\n");
}

static void pairs_may_begin_with_numbers(void **state)
{
    (void)state;
    check("1 a b\t1 c d\n2 e f\t2 g h\n3 i\t3 j\n", "pairs",
          "1:s[1 a b]t[1 c d]\n2:s[2 e f]t[2 g h]\n3:s[3 i]t[3 j]\n");
    check("1 3 2\t1 2 3\n1 9 4\t1 4 9\n", "pairs", "1:s[1 3 2]t[1 2 3]\n2:s[1 9 4]t[1 4 9]\n");
    check("5 3 2\t2 3 5\n6 9 4\t4 6 9\n", "pairs", "1:s[5 3 2]t[2 3 5]\n2:s[6 9 4]t[4 6 9]\n");
}

/* ---- text, and all of them -------------------------------------------------------------- */

static void empty_lines_separate_documents(void **state)
{
    (void)state;
    check(" one \ntwo\n\n\nthree\n \nfour", "text",
          "1:!s[ one ]\n2:s[two]\n5:!s[three]\n7:!s[four]\n");
    check("", "text", "");
    check("\n\n", "text", "");
}

static void documents_keep_their_lines(void **state)
{
    (void)state;
    check_as("document", "one\ntwo\n\n  three\nfour",
             "1:!s[one\n]\n2:s[two\n\n  three\n]\n5:s[four]\n");
    check_as("document", "\n \none\r\n", "1:!s[\n \none\n]\n");
    check_as("document", "", "");
    at_read_options options = {.running = true};
    check_with("one\ntwo\n", NULL, &options, "document", "1:!s[one\n]\n2:s[two\n]\n");
    check_with("a\tb\nc\td\n", NULL, &options, "pairs", "1:s[a]t[b]\n2:s[c]t[d]\n");
    options.format = "text";
    check_with("one\n\ntwo\n", NULL, &options, "text", "1:!s[one]\n3:!s[two]\n");
}

/* a text of one line in parts that begin with a space */
static void long_lines_of_a_document_are_given_in_parts(void **state)
{
    (void)state;
    enum { LONG = 2048 };
    char text[LONG + 10], expected[LONG + 60];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = 0;
    text[LONG - 5] = ' ';
    snprintf(expected, sizeof expected, "1:!s[%.*s]\n1:s[%s]\n", LONG - 5, text, text + LONG - 5);
    check_as("document", text, expected);
    text[LONG - 5] = 'a';
    memcpy(text + LONG - 1, "\xC3\xA4", 2); /* no space: a character stays whole */
    snprintf(expected, sizeof expected, "1:!s[%.*s]\n1:s[%s]\n", LONG - 1, text, text + LONG - 1);
    check_as("document", text, expected);
}

static void unknown_formats_get_a_suggestion(void **state)
{
    (void)state;
    at_read_options options = {.format = "json"};
    check_refused("x\n", NULL, &options, ATTEND_OPTION,
                  "there is no format \"json\"; did you mean jsonl?");
}

static void note(void *user, const char *file, long line, const char *message)
{
    at_str_print(user, "%s %ld %s|", file, line, message);
}

static void a_lenient_reader_tells_and_goes_on(void **state)
{
    (void)state;
    at_str told = {0}, out = {0};
    attend_error err;
    at_read_options options = {.format = "pairs", .lenient = true, .bad = note, .user = &told};
    options.lines.max_length = 20;
    static const char text[] = "a\tb\nnone\nc\0\td\n0123456789\t0123456789\ne\tf\n";
    assert_int_equal(read_all(&out, text, sizeof text - 1, NULL, &options, &err), ATTEND_OK);
    assert_string_equal(at_str_text(&out), "1:s[a]t[b]\n5:s[e]t[f]\n");
    assert_string_equal(at_str_text(&told),
                        "file 2 file:2: no tab: a pair is SOURCE, a tab, TARGET|"
                        "file 3 file:3: a zero byte|file 4 file:4: too long a line|");
    at_str_free(&told);
    at_str_free(&out);
}

static void lenient_aligned_files_stay_aligned(void **state)
{
    (void)state;
    at_str told = {0};
    at_read_options options = {.lenient = true, .bad = note, .user = &told};
    options.lines.max_length = 5;
    check_with("a\n1234567\nc\nd\n", "x\ny\n1234567\nw\n", &options, "aligned",
               "1:s[a]t[x]\n4:s[d]t[w]\n");
    at_str_free(&told);
}

static void a_failure_is_told_again(void **state)
{
    (void)state;
    at_example_reader *r;
    at_example e;
    attend_error err;
    attend_status status;
    at_read_options options = {.format = "pairs"};
    assert_int_equal(at_examples_start(bytes_of("none\na\tb\n", 9), NULL, &options, &r, &err),
                     ATTEND_OK);
    for (int i = 0; i < 2; i++) {
        assert_false(at_examples_next(r, &e, &status, &err));
        assert_int_equal(status, ATTEND_FORMAT);
        assert_says(&err, "file:1");
    }
    at_examples_close(r);
}

static const struct {
    const char *text, *second;
} samples[] = {
    {"Go.\tVa !\tx\n", NULL},
    {"a\nb\n", "x\ny\n"},
    {"a ||| b\n", NULL},
    {"{\"text\": \"x\", \"label\": 1}\n", NULL},
    {"{\"id\": \"7\", \"context\": \"yz\", \"question\": \"q\", \"answers\": {\"text\": [\"yz\"], "
     "\"answer_start\": [0]}}\n",
     NULL},
    {"sentence\tlabel\nhide new\t0\n", NULL},
    {"label,title,text\nx,\"one\ntwo\",b\n", NULL},
    {"DESC:def What ?\n", NULL},
    {"1 fine\n0 dull\n", NULL},
    {squad, NULL},
    {"question,review,human_ans_spans,human_ans_indices\nQ,R x,x,\"(2, 3)\"\n", NULL},
    {"1 Mary went.\n2 Where?\tgarden\t1\n", NULL},
    {"text\n", NULL},
};

static void every_allocation_may_fail_in_every_format(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        for (int n = 0;; n++) {
            at_example_reader *r = NULL;
            at_example e;
            attend_error err;
            at_stream *first = bytes_of(samples[i].text, strlen(samples[i].text)), *other = NULL;
            if (samples[i].second)
                other = bytes_of(samples[i].second, strlen(samples[i].second));
            at_alloc_fail_after(n);
            attend_status status = at_examples_start(first, other, NULL, &r, &err);
            while (status >= 0 && at_examples_next(r, &e, &status, &err)) {
            }
            at_alloc_fail_after(-1);
            at_examples_close(r);
            assert_int_equal(at_alloc_live(), live);
            if (status >= 0)
                break;
            assert_int_equal(status, ATTEND_MEMORY);
        }
}

/* What a format writes, it reads. */
static void every_format_reads_what_it_writes(void **state)
{
    (void)state;
    const at_text source = {"Ça va?", 7}, target = {"Fine, \"thanks\".", 15}, label = {"good", 4};
    const at_text question = {"Why?", 4};
    for (int i = 0; i < at_format_count; i++) {
        const at_format *f = at_formats[i];
        at_example e = {.has = f->needs,
                        .source = source,
                        .target = target,
                        .label = label,
                        .question = question,
                        .line = 1};
        at_str out = {0}, second = {0}, expected = {0}, got = {0};
        at_read_options options = {.format = f->name};
        attend_error err;
        if (!f->write)
            continue;
        if (f == &at_format_trec)
            e.rest = (at_text){"fine", 4};
        if (f == &at_format_trec_fine)
            e.label = (at_text){"good:other", 10};
        if (f == &at_format_conll)
            e.label = (at_text){"B-X O", 5};
        if (f->write_head)
            f->write_head(&out, e.has);
        e.line += f->write_head != NULL;
        f->write(&out, &second, &e);
        e.has |= f == &at_format_text || f == &at_format_document ? ATTEND_HAS_BREAK : 0u;
        show_example(&expected, &e);
        if (read_all(&got, out.text, out.length, second.text, &options, &err) < 0)
            fail_msg("%s: %s", f->name, err.message);
        assert_string_equal(at_str_text(&got), at_str_text(&expected));
        at_str_free(&out);
        at_str_free(&second);
        at_str_free(&expected);
        at_str_free(&got);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pairs_keep_the_third_column_aside),
        TEST(aligned_files_go_line_by_line),
        TEST(unequal_files_are_refused_with_both_counts),
        TEST(bars_separate_as_for_word_aligners),
        TEST(trec_has_coarse_and_fine_labels),
        TEST(latin1_in_trec_is_refused_replaced_or_converted),
        TEST(sst_is_label_blank_text),
        TEST(tables_of_glue_have_names),
        TEST(tables_without_names_show_their_labels),
        TEST(cells_in_quotes_may_hold_lines),
        TEST(a_text_cut_by_its_own_separators_is_refused),
        TEST(columns_can_be_named),
        TEST(a_named_column_restricts_the_guess),
        TEST(a_guess_is_linear_in_columns),
        TEST(json_lines_have_the_usual_keys),
        TEST(json_keys_may_change_their_order),
        TEST(json_lines_have_the_keys_of_the_first),
        TEST(json_lines_say_what_is_wrong_and_where),
        TEST(squad_gives_questions_with_places_of_answers),
        TEST(squad_says_what_is_wrong_and_where),
        TEST(subjqa_takes_answers_from_their_indices),
        TEST(babi_stories_grow_and_begin_anew),
        TEST(pairs_may_begin_with_numbers),
        TEST(empty_lines_separate_documents),
        TEST(documents_keep_their_lines),
        TEST(long_lines_of_a_document_are_given_in_parts),
        TEST(unknown_formats_get_a_suggestion),
        TEST(a_lenient_reader_tells_and_goes_on),
        TEST(lenient_aligned_files_stay_aligned),
        TEST(a_failure_is_told_again),
        TEST(every_allocation_may_fail_in_every_format),
        TEST(every_format_reads_what_it_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
