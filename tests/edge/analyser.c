/* The main wager's edge by another way: whoever reads this needs nothing of the program it checks.
 *
 * Boxes that are not split are followed card by card, in the order the cards come; split boxes are dealt, hand after
 * hand as at a table, from a shuffled shoe. Strategy and rules are written out here once more, from docs/reference/par.md and the
 * rule cards. A dealer's natural takes the original wager only; a surrendered wager is then lost whole.
 *
 * usage: analyser DECKS HITS_SOFT_17 LATE_SURRENDER NINE_TO_ELEVEN MAX_HANDS RESPLIT_ACES DEALS SEED
 * out:   edge, and the standard error that the dealt part leaves, both of the initial wager
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int decks, h17, late, nine, most, aces_again;
static int shoe[11], left_all;

static int total(int hard, int aces) { return aces && hard <= 11 ? hard + 10 : hard; }
static int soft(int hard, int aces) { return aces && hard <= 11; }
static int within(int up, int low, int high) { return up >= low && up <= high; }

static int doubles(int hard, int aces, int up)
{
    int points = total(hard, aces);
    if (nine && !(points >= 9 && points <= 11)) return 0;
    if (soft(hard, aces)) switch (points) {
        case 13: case 14: return within(up, 5, 6);
        case 15: case 16: return within(up, 4, 6);
        case 17: return within(up, 3, 6);
        case 18: return within(up, h17 ? 2 : 3, 6);
        case 19: return h17 && up == 6;
        default: return 0;
    }
    switch (points) {
        case 9: return within(up, 3, 6);
        case 10: return within(up, 2, 9);
        case 11: return up >= 2 || h17;
        default: return 0;
    }
}

static int stands(int hard, int aces, int up)
{
    int points = total(hard, aces);
    if (soft(hard, aces)) return points > 18 || (points == 18 && within(up, 2, 8));
    if (points > 16) return 1;
    if (points >= 13) return within(up, 2, 6);
    return points == 12 && within(up, 4, 6);
}

static int splits(int pair, int up)
{
    switch (pair) {
        case 1: case 8: return 1;
        case 2: case 3: case 7: return within(up, 2, 7);
        case 4: return within(up, 5, 6);
        case 6: return within(up, 2, 6);
        case 9: return within(up, 2, 6) || up == 8 || up == 9;
        default: return 0;
    }
}

static int surrenders(int hard, int aces, int pair, int up)
{
    if (!late || soft(hard, aces)) return 0;
    if (pair == 8) return h17 && up == 1;
    if (hard == 15) return up == 10 || (h17 && up == 1);
    if (hard == 16) return up == 9 || up == 10 || up == 1;
    return hard == 17 && h17 && up == 1;
}

/* --- boxes that are not split: every order of the cards --- */

typedef struct { uint64_t key; double end[7]; } Row; /* 17 to 21, broken, natural */
#define ROWS (1u << 21)
static Row *rows;

static void dealer(int hard, int aces, int cards, double chance, double *end)
{
    int points = total(hard, aces);
    if (points > 16 && !(h17 && points == 17 && soft(hard, aces)))
    {
        end[cards == 2 && points == 21 ? 6 : points > 21 ? 5 : points - 17] += chance;
        return;
    }
    for (int card = 1; card <= 10; card++)
        if (shoe[card] > 0)
        {
            double next = chance * shoe[card] / left_all;
            shoe[card]--, left_all--;
            dealer(hard + card, aces + (card == 1), cards + 1, next, end);
            shoe[card]++, left_all++;
        }
}

static const double *ends(int up)
{
    uint64_t key = 1;
    for (int card = 1; card <= 10; card++) key = key * 131 + (uint64_t)shoe[card];
    unsigned place = (unsigned)((key * 0x9E3779B97F4A7C15ull) >> 43);
    while (rows[place].key && rows[place].key != key) place = (place + 1) & (ROWS - 1);
    if (!rows[place].key)
    {
        rows[place].key = key;
        dealer(up, up == 1, 1, 1.0, rows[place].end);
    }
    return rows[place].end;
}

static double compared(int points, int stake, int up)
{
    const double *end = ends(up);
    if (points > 21) return -end[6] - stake * (1 - end[6]);
    double net = -end[6] + stake * end[5];
    for (int other = 17; other <= 21; other++)
        net += end[other - 17] * stake * ((points > other) - (points < other));
    return net;
}

static double played(int hard, int aces, int cards, int pair, int up)
{
    int points = total(hard, aces), doubled;
    if (points >= 21) return compared(points, 1, up);
    if (cards == 2 && surrenders(hard, aces, pair, up)) return -0.5 - 0.5 * ends(up)[6];
    doubled = cards == 2 && doubles(hard, aces, up);
    if (!doubled && stands(hard, aces, up)) return compared(points, 1, up);
    double net = 0;
    for (int card = 1; card <= 10; card++)
        if (shoe[card] > 0)
        {
            double chance = (double)shoe[card] / left_all;
            shoe[card]--, left_all--;
            net += chance * (doubled ? compared(total(hard + card, aces + (card == 1)), 2, up)
                                     : played(hard + card, aces + (card == 1), cards + 1, 0, up));
            shoe[card]++, left_all++;
        }
    return net;
}

/* --- split boxes: dealt --- */

static uint64_t state;
static uint8_t deck[8 * 52];
static int deck_cards, drawn;

static uint32_t chance32(void)
{
    uint64_t z = state += 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return (uint32_t)((z ^ (z >> 31)) >> 32);
}

static int draw(void)
{
    int place = drawn + (int)(((uint64_t)chance32() * (uint32_t)(deck_cards - drawn)) >> 32);
    uint8_t card = deck[place];
    deck[place] = deck[drawn];
    deck[drawn++] = card;
    return card;
}

static int dealt_box(int pair, int up)
{
    int hands = 2, points[4], stake[4], alive = 0, net = 0;
    drawn = 0;
    for (int hand = 0; hand < hands; hand++)
    {
        int card = draw();
        while (card == pair && hands < most && (pair != 1 || aces_again)) hands++, card = draw();
        int hard = pair + card, aces = (pair == 1) + (card == 1);
        stake[hand] = 1;
        if (pair != 1 && total(hard, aces) < 21)
        {
            if (doubles(hard, aces, up)) card = draw(), hard += card, aces += card == 1, stake[hand] = 2;
            else while (total(hard, aces) < 21 && !stands(hard, aces, up)) card = draw(), hard += card, aces += card == 1;
        }
        points[hand] = total(hard, aces);
        alive += points[hand] <= 21;
    }
    int hole = draw(), hard = up + hole, aces = (up == 1) + (hole == 1);
    if (hard == 11 && aces) return -1;
    if (alive)
        while (total(hard, aces) < 17 || (h17 && total(hard, aces) == 17 && soft(hard, aces)))
        {
            int card = draw();
            hard += card, aces += card == 1;
        }
    int other = total(hard, aces);
    for (int hand = 0; hand < hands; hand++)
    {
        if (points[hand] > 21) net -= stake[hand];
        else if (other > 21) net += stake[hand];
        else net += stake[hand] * ((points[hand] > other) - (points[hand] < other));
    }
    return net;
}

static double dealt(int pair, int up, long deals, double *error)
{
    double sum = 0, squares = 0;
    deck_cards = 0;
    for (int card = 1; card <= 10; card++)
        for (int copy = 0; copy < shoe[card]; copy++) deck[deck_cards++] = (uint8_t)card;
    for (long one = 0; one < deals; one++)
    {
        int net = dealt_box(pair, up);
        sum += net, squares += net * net;
    }
    *error = (squares / deals - (sum / deals) * (sum / deals)) / deals;
    return sum / deals;
}

int main(int count, char **word)
{
    if (count != 9) return 2;
    decks = atoi(word[1]), h17 = atoi(word[2]), late = atoi(word[3]), nine = atoi(word[4]);
    most = atoi(word[5]), aces_again = atoi(word[6]);
    long deals = atol(word[7]);
    state = strtoull(word[8], NULL, 10);
    rows = malloc(ROWS * sizeof *rows);
    if (!rows) return 1;
    for (int card = 1; card <= 10; card++) shoe[card] = decks * (card == 10 ? 16 : 4), left_all += shoe[card];
    double net = 0, variance = 0;
    for (int up = 1; up <= 10; up++)
    {
        memset(rows, 0, ROWS * sizeof *rows);
        double first_chance = (double)shoe[up]-- / left_all--;
        for (int one = 1; one <= 10; one++)
        {
            double one_chance = first_chance * shoe[one]-- / left_all--;
            for (int two = 1; two <= 10; two++)
                if (shoe[two] > 0)
                {
                    double chance = one_chance * shoe[two]-- / left_all--;
                    if (one + two == 11 && (one == 1 || two == 1)) net += chance * 1.5 * (1 - ends(up)[6]);
                    else if (one == two && splits(one, up) && !surrenders(2 * one, one == 1, one, up))
                    {
                        double error;
                        net += chance * dealt(one, up, deals, &error);
                        variance += chance * chance * error;
                    }
                    else net += chance * played(one + two, (one == 1) + (two == 1), 2, one == two ? one : 0, up);
                    shoe[two]++, left_all++;
                }
            shoe[one]++, left_all++;
        }
        shoe[up]++, left_all++;
    }
    printf("%.9f %.9f\n", -net, sqrt(variance));
    return 0;
}
