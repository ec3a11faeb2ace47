/* Abbreviations and beginnings of sentences, by language. A word is looked up among blanks in one
 * string: there are few hundred, and few full stops. */
#include <string.h>

#include "base/option.h"
#include "text/sentences.h"

#define EN ATTEND_LANGUAGE_EN
#define FR ATTEND_LANGUAGE_FR
#define DE ATTEND_LANGUAGE_DE
#define ES ATTEND_LANGUAGE_ES
#define IT ATTEND_LANGUAGE_IT
#define PT ATTEND_LANGUAGE_PT
#define NL ATTEND_LANGUAGE_NL
#define RU ATTEND_LANGUAGE_RU

typedef struct {
    unsigned languages;
    at_word_class class;
    const char *words; /* a blank before and after each */
} list;

/* clang-format off */
static const list lists[] = {
    {EN, ATTEND_WORD_NEVER,
     " Mr Mrs Ms Messrs Mx Dr Drs Prof Rev Fr Hon Pres Gov Sen Rep Reps Sens Gen Col Lt Maj Capt "
     "Cpl Sgt Cmdr Adm Brig Supt Insp St Mt Ft Pvt Pfc vs v viz cf e.g i.e eg ie approx ca esp "
     "incl Msgr "},
    {EN, ATTEND_WORD_NUMBER,
     " No Nos no nos p pp vol vols Vol ch Ch chap Chap fig figs Fig Figs eq eqs Eq Eqs sec secs "
     "Sec sect par art Art arts ed eds para paras ref refs Ref tab Tab Jan Feb Mar Apr Jun Jul Aug "
     "Sep Sept Oct Nov Dec est Est ver Op op "},
    {EN, ATTEND_WORD_MAYBE,
     " etc Inc Ltd Co Corp Bros Jr Sr Esq M.D Ph.D B.A M.A B.Sc M.Sc a.m p.m A.M P.M U.S U.K U.N "
     "E.U U.S.A D.C al Ave Blvd Rd Hwy Dept Univ Assn Mass Calif Mon Tue Tues Wed Thu Thur Thurs "
     "Fri Sat Sun ft lb lbs oz min sec hr hrs mph "},
    {FR, ATTEND_WORD_NEVER,
     " M MM Mme Mmes Mlle Mlles Dr Drs Pr Mgr Ste St Vve cf c.-à-d ex env éd coll trad p.ex "},
    {FR, ATTEND_WORD_NUMBER, " n no No art Art p pp chap vol t fig fol al janv févr avr juil sept "
                             "oct nov déc tél "},
    {FR, ATTEND_WORD_MAYBE, " etc av J.-C apr bd boul "},
    {DE, ATTEND_WORD_NEVER,
     " Hr Hrn Fr Frl Dr Drs Prof Dipl Ing Mag Hl St z.B z.b d.h d.i u.a u.U u.ä u.Ä o.ä o.Ä i.d.R "
     "i.d.S v.a z.T z.Zt z.Z bzw ca vgl sog ggf evtl inkl exkl insb bes zzgl bspw lt Str gem "
     "geb gest verh Hrsg hrsg ehem urspr eigtl zw a.d v u.v.a ev kath Sr Jr phil med jur rer nat "
     "m.E a.M a.d.R bzgl einschl ausschl entspr resp sen jun i.A i.V f.d "},
    {DE, ATTEND_WORD_NUMBER,
     " Nr Nrn nr S Abb Abs Art Bd Bde Kap Anm Aufl Tab Ziff Rn Rdnr Jan Feb Febr Mrz Apr Aug Sept "
     "Okt Nov Dez Tel Jh Jhd "},
    {DE, ATTEND_WORD_MAYBE, " usw usf etc u.s.w u.s.f u.v.m v.Chr n.Chr Chr Mio Mrd Mo Di Mi Do Fr "
                            "Sa So Co e.V a.D "},
    {ES, ATTEND_WORD_NEVER,
     " Sr Sra Sres Sras Srta Dr Dra Dres Prof Profa D Dña Lic Ing Arq Gral Cnel Mons Excmo Excma "
     "Ilmo Ilma Fr Sto Sta p.ej P.ej ej Ud Uds Vd Vds aprox "},
    {ES, ATTEND_WORD_NUMBER, " núm núms Núm nº art arts Art pág págs Pág cap caps vol vols fig "
                             "figs tel Tel ene febr abr jun jul sept oct nov dic "},
    {ES, ATTEND_WORD_MAYBE, " etc a.C d.C S.A EE.UU Cía Av Avda Ltda "},
    {IT, ATTEND_WORD_NEVER,
     " Sig Sigg Sig.ra Sig.na sig Dott Dr Prof Ing Avv Arch Geom Rag On Egr Gent Spett S Ss Mons "
     "Card p.es ad.es cfr Cfr ca c.a "},
    {IT, ATTEND_WORD_NUMBER, " n nn art artt Art pag pagg p pp cap capp vol voll fig figg tel genn "
                             "febbr apr magg giu lug sett ott nov dic "},
    {IT, ATTEND_WORD_MAYBE, " ecc etc a.C d.C S.p.A S.r.l "},
    {PT, ATTEND_WORD_NEVER,
     " Sr Sra Srs Sras Srta Dr Dra Drs Dras Prof Profa Eng Arq Exmo Exma Ilmo Ilma Ex V.Ex p.ex "
     "ex Gen Cel Cap Sto Sta aprox "},
    {PT, ATTEND_WORD_NUMBER, " n nº núm art arts Art pág págs p pp cap caps vol vols fig figs tel "
                             "jan fev mar abr jun jul nov dez "},
    {PT, ATTEND_WORD_MAYBE, " etc a.C d.C S.A Ltda Cia Av EUA "},
    {NL, ATTEND_WORD_NEVER,
     " dhr Dhr mevr Mevr mw Mw mej Dr dr Drs drs Prof prof Ir ir Ing ing Mr mr ds Ds St bijv bv "
     "d.w.z m.a.w o.a a.d.h.v t.a.v t.o.v i.p.v i.v.m m.b.t m.n z.g vgl resp ca incl excl evt "
     "jl jhr mgr "},
    {NL, ATTEND_WORD_NUMBER, " nr nrs Nr blz p pp art Art hfst fig afb tel jan feb mrt apr aug "
                             "sept okt nov dec "},
    {NL, ATTEND_WORD_MAYBE, " enz etc e.d e.a v.Chr n.Chr N.V B.V "},
    {RU, ATTEND_WORD_NEVER,
     " г-н г-жа гр им проф акад доц д-р т.е т.к т.н т.о ср см напр ул просп пр пл пер наб св "
     "о-в р-н "},
    {RU, ATTEND_WORD_NUMBER, " № с стр гл рис табл ст п пп т тт вып янв февр апр авг сент окт нояб "
                             "дек тел д кв корп стр "},
    {RU, ATTEND_WORD_MAYBE, " г гг в вв и.т.д т.д т.п др пр н.э руб коп млн млрд тыс "},
};
/* clang-format on */

static const list starters[] = {
    {EN, 0,
     " The A An He She It We They You I This That These Those There Here In On At By For From To "
     "With As If When While Where What Who Why How But And Or So Yet Then Now Not No Yes His Her "
     "Its Our Their My Your Some Many Most All Both Each After Before Since Because Although "
     "However Moreover Also Once Last Next One Another "},
    {FR, 0,
     " Le La Les Un Une Des Du Il Elle Ils Elles On Nous Vous Je Tu Ce Cet Cette Ces Cela Ça Et "
     "Mais Ou Donc Or Car Dans En Au Aux De Par Pour Sur Avec Sans Si Quand Qui Que Quoi Son Sa "
     "Ses Leur Mon Ma Notre Votre Après Avant Depuis Puis Alors Enfin "},
    {DE, 0,
     " Der Die Das Ein Eine Einen Einem Einer Er Sie Es Wir Ihr Ich Du Man Dieser Diese Dieses "
     "Dies Und Aber Oder Denn Doch In Im An Am Auf Bei Mit Nach Von Vor Zu Zum Zur Aus Für Durch "
     "Wenn Als Da Weil Wie Was Wer Wo Warum Sein Seine Ihre Mein Meine Unser Alle Viele Nun Dann "
     "Danach Heute Auch So Nicht Kein Keine Seit Während Nachdem Dabei Damit Dort Hier "},
    {ES, 0,
     " El La Los Las Un Una Unos Él Ella Ellos Yo Tú Nosotros Este Esta Esto Ese Esa Eso Y O Pero "
     "En Por Para Con Sin De Del Al A Si Cuando Que Quien Como Su Sus Mi No Sí Después Antes "
     "Entonces También "},
    {IT, 0,
     " Il Lo La I Gli Le Un Una Uno Egli Lei Lui Essi Noi Voi Io Tu Questo Questa Quello Quella E "
     "O Ma Però In Per Con Su Da Di Nel Nella Del Della Al Alla Se Quando Chi Che Come Il Suo Non "
     "Poi Dopo Prima Anche "},
    {PT, 0,
     " O A Os As Um Uma Ele Ela Eles Elas Eu Nós Você Este Esta Isto Esse Essa Isso E Ou Mas Em No "
     "Na Por Para Com Sem De Do Da Ao Se Quando Que Quem Como Seu Sua Não Depois Antes Então "
     "Também "},
    {NL, 0,
     " De Het Een Hij Zij Ze Wij We Jullie Ik Je U Dit Dat Deze Die En Maar Of Want In Op Aan Bij "
     "Met Naar Van Voor Door Uit Over Als Toen Wanneer Wie Wat Waar Hoe Zijn Haar Hun Mijn Er Nu "
     "Dan Daarna Ook Niet "},
    {RU, 0,
     " Он Она Оно Они Мы Вы Я Ты Это Этот Эта Эти Тот Та Те И А Но Или В Во На С Со К По За От Из "
     "У О Об Для До При Если Когда Что Кто Где Как Его Её Их Не Потом Затем После Также "},
};

static const char months[] =
    " Januar Jänner Februar März April Mai Juni Juli August September Oktober November Dezember "
    "Jahrhundert Jahrhunderts Jh ";

enum { MAX_LENGTH = 40 }; /* bytes of a word that can be in a list */

static bool has(const char *words, const char *word, size_t size)
{
    char key[MAX_LENGTH + 2];
    if (size == 0 || size > MAX_LENGTH || memchr(word, ' ', size))
        return false;
    key[0] = ' ';
    memcpy(key + 1, word, size);
    key[size + 1] = ' ';
    return memmem(words, strlen(words), key, size + 2) != NULL;
}

static at_word_class find(const char *word, size_t size, unsigned languages)
{
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (lists[i].languages & languages && has(lists[i].words, word, size))
            return lists[i].class;
    return ATTEND_WORD_PLAIN;
}

/* also as it is written at the beginning of a sentence */
at_word_class at_word_class_of(const char *word, size_t size, unsigned languages)
{
    char small[MAX_LENGTH];
    at_word_class class = find(word, size, languages);
    if (class != ATTEND_WORD_PLAIN || size == 0 || size > MAX_LENGTH || *word < 'A' || *word > 'Z')
        return class;
    memcpy(small, word, size);
    small[0] = (char)(small[0] - 'A' + 'a');
    return find(small, size, languages);
}

bool at_word_starts(const char *word, size_t size, unsigned languages)
{
    for (size_t i = 0; i < sizeof starters / sizeof *starters; i++)
        if (starters[i].languages & languages && has(starters[i].words, word, size))
            return true;
    return false;
}

bool at_word_is_month(const char *word, size_t size) { return has(months, word, size); }

unsigned at_language_bits(const char *name, bool *known)
{
    int index = at_choice_find(ATTEND_LANGUAGE_NAMES, name);
    *known = true;
    if (strcmp(name, "auto") == 0)
        return ATTEND_LANGUAGES_ALL;
    if (index < 0)
        *known = at_choice_find("zh|ja|ko", name) >= 0;
    return index < 0 ? 0 : 1u << index;
}
