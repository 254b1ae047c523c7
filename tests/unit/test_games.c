// test_games.c - rules of single games where a sequence matters, mode selection, and the catalogue.
// tests/python/test_games.py compares all games with their facts.
#include "catalogue.h"
#include "mega_games.h"
#include "mega_test.h"

static uint8_t ram[128];
static uint8_t cart_ram[128];
static mega_rules rules;

static mega_memory memory(void) {
    mega_memory result = {ram, cart_ram};
    return result;
}

static void begin(int32_t game) {
    memset(ram, 0, sizeof ram);
    memset(cart_ram, 0, sizeof cart_ram);
    memset(&rules, 0xA5, sizeof rules);
    mega_rules_construct(game, &rules);
}

static void poke(uint32_t address, uint8_t value) {
    ram[address & 0x7F] = value;
}

static void check_request(int32_t game, int32_t mode, int32_t kind, int32_t amount) {
    const mega_request request = mega_rules_select(game, &rules, memory(), mode);
    MEGA_CHECK_EQ(request.kind, kind);
    MEGA_CHECK_EQ(request.amount, amount);
}

// Score differences, lives that disappear at the end.
static void test_score(void) {
    begin(MEGA_GAME_FROSTBITE);
    MEGA_CHECK_EQ(rules.lives, 4);
    poke(0xCA, 0x50);
    poke(0xC9, 0x12);
    poke(0xCC, 3);
    mega_rules_step(MEGA_GAME_FROSTBITE, &rules, memory());
    MEGA_CHECK_EQ(rules.reward, 1250);
    MEGA_CHECK_EQ(rules.lives, 4);
    MEGA_CHECK_EQ(rules.terminal, 0);
    poke(0xC8, 0x01);
    poke(0xCC, 0);
    poke(0xF1, 0x80);
    mega_rules_step(MEGA_GAME_FROSTBITE, &rules, memory());
    MEGA_CHECK_EQ(rules.reward, 10000);
    MEGA_CHECK_EQ(rules.lives, 0);
    MEGA_CHECK_EQ(rules.terminal, 1);
    mega_rules_reset(MEGA_GAME_FROSTBITE, &rules);
    MEGA_CHECK_EQ(rules.terminal, 0);
    MEGA_CHECK_EQ(rules.reward, 0);
    MEGA_CHECK_EQ(rules.var[0], 0);
}

// The pieces on a board are signed bytes; the result stays once it is known.
static void test_backgammon(void) {
    begin(MEGA_GAME_BACKGAMMON);
    poke(0x80, 256 - 15);
    poke(0x84, 10);
    poke(0x90, 5);
    mega_rules_step(MEGA_GAME_BACKGAMMON, &rules, memory());
    MEGA_CHECK_EQ(rules.reward, 1);
    MEGA_CHECK_EQ(rules.terminal, 1);
    MEGA_CHECK_EQ(rules.lives, 0);
    poke(0x84, 9);
    mega_rules_step(MEGA_GAME_BACKGAMMON, &rules, memory());
    MEGA_CHECK_EQ(rules.reward, 1);
    MEGA_CHECK_EQ(rules.terminal, 1);

    begin(MEGA_GAME_BACKGAMMON);
    poke(0x8E, 15);
    poke(0x81, 256 - 14);
    mega_rules_step(MEGA_GAME_BACKGAMMON, &rules, memory());
    MEGA_CHECK_EQ(rules.terminal, 0); // a piece is missing
    poke(0x9B, 256 - 1);
    mega_rules_step(MEGA_GAME_BACKGAMMON, &rules, memory());
    MEGA_CHECK_EQ(rules.reward, -1);
    MEGA_CHECK_EQ(rules.terminal, 1);
}

static void test_cartridge_ram(void) {
    begin(MEGA_GAME_KLAX);
    cart_ram[0x34] = 0x25;
    cart_ram[0x69] = 3;
    cart_ram[0x6E] = 3;
    mega_rules_step(MEGA_GAME_KLAX, &rules, memory());
    MEGA_CHECK_EQ(rules.reward, 25);
    MEGA_CHECK_EQ(rules.terminal, 1);
    mega_memory without = {ram, NULL};
    mega_rules_step(MEGA_GAME_KLAX, &rules, without);
    MEGA_CHECK_EQ(rules.reward, -25);
    MEGA_CHECK_EQ(rules.terminal, 0);
}

static void test_kept_var(void) {
    begin(MEGA_GAME_VIDEO_CUBE);
    MEGA_CHECK_EQ(rules.var[1], 0);
    poke(0xDB, 255);
    mega_rules_step(MEGA_GAME_VIDEO_CUBE, &rules, memory());
    mega_rules_reset(MEGA_GAME_VIDEO_CUBE, &rules);
    MEGA_CHECK_EQ(rules.var[0], 0);
    MEGA_CHECK_EQ(rules.var[1], 255); // the timer is not reset
    poke(0xDB, 0);
    mega_rules_step(MEGA_GAME_VIDEO_CUBE, &rules, memory());
    MEGA_CHECK_EQ(rules.reward, -1);
    MEGA_CHECK_EQ(rules.terminal, 1);
    MEGA_CHECK_EQ(mega_rules_unsaved_vars(MEGA_GAME_VIDEO_CUBE), 2);
    MEGA_CHECK_EQ(mega_rules_unsaved_vars(MEGA_GAME_HANGMAN), 4);
    MEGA_CHECK_EQ(mega_rules_unsaved_vars(MEGA_GAME_VIDEO_CHECKERS), 4);
    MEGA_CHECK_EQ(mega_rules_unsaved_vars(MEGA_GAME_PONG), 0);
}

static void test_select(void) {
    begin(MEGA_GAME_SPACE_INVADERS);
    for (int32_t i = 0; i < 15; i++) {
        poke(0xDC, (uint8_t)i);
        check_request(MEGA_GAME_SPACE_INVADERS, 15, MEGA_REQUEST_SELECT, 2);
        mega_rules_step(MEGA_GAME_SPACE_INVADERS, &rules, memory()); // steps in between change nothing
    }
    poke(0xDC, 15);
    check_request(MEGA_GAME_SPACE_INVADERS, 15, MEGA_REQUEST_SOFT_RESET, 0);
    poke(0xDC, 0);
    check_request(MEGA_GAME_SPACE_INVADERS, 15, MEGA_REQUEST_DONE, 0);
    check_request(MEGA_GAME_SPACE_INVADERS, 15, MEGA_REQUEST_DONE, 0);

    begin(MEGA_GAME_ADVENTURE);
    check_request(MEGA_GAME_ADVENTURE, 1, MEGA_REQUEST_SELECT_RND, 0);
    poke(0xDD, 2); // the mode shows, but the act still belongs to the pass
    check_request(MEGA_GAME_ADVENTURE, 1, MEGA_REQUEST_ACT, 0);
    check_request(MEGA_GAME_ADVENTURE, 1, MEGA_REQUEST_SOFT_RESET, 0);
    check_request(MEGA_GAME_ADVENTURE, 1, MEGA_REQUEST_DONE, 0);

    begin(MEGA_GAME_BERZERK);
    poke(0x80, 2);
    for (int32_t i = 0; i < 20; i++) {
        check_request(MEGA_GAME_BERZERK, 2, MEGA_REQUEST_ACT, 0);
    }
    check_request(MEGA_GAME_BERZERK, 2, MEGA_REQUEST_SOFT_RESET, 0);

    begin(MEGA_GAME_PONG - 1000); // no such game
    check_request(MEGA_GAME_PONG - 1000, 0, MEGA_REQUEST_DONE, 0);
}

// RAM that never shows the mode: the loops end all the same, and each counts its own passes.
static void test_select_fails(void) {
    begin(MEGA_GAME_ET);
    for (int32_t i = 0; i < 100; i++) {
        check_request(MEGA_GAME_ET, 2, MEGA_REQUEST_SELECT, 25);
    }
    check_request(MEGA_GAME_ET, 2, MEGA_REQUEST_FAIL, 0);

    begin(MEGA_GAME_VIDEO_CUBE);
    poke(0xFB, 1);
    for (int32_t i = 0; i < 30000; i++) {
        check_request(MEGA_GAME_VIDEO_CUBE, 1000, MEGA_REQUEST_SELECT, 2);
    }
    poke(0xFB, 0);
    check_request(MEGA_GAME_VIDEO_CUBE, 1000, MEGA_REQUEST_SOFT_RESET, 0);
    for (int32_t i = 0; i < MEGA_SELECT_TRIES; i++) {
        check_request(MEGA_GAME_VIDEO_CUBE, 1000, MEGA_REQUEST_ACT, 3);
    }
    check_request(MEGA_GAME_VIDEO_CUBE, 1000, MEGA_REQUEST_FAIL, 0);
    mega_rules_reset(MEGA_GAME_VIDEO_CUBE, &rules);
    check_request(MEGA_GAME_VIDEO_CUBE, 1000, MEGA_REQUEST_SOFT_RESET, 0);

    begin(MEGA_GAME_DOUBLE_DUNK);
    check_request(MEGA_GAME_DOUBLE_DUNK, 0, MEGA_REQUEST_SELECT, 1);
    for (int32_t i = 0; i < MEGA_SELECT_TRIES; i++) {
        check_request(MEGA_GAME_DOUBLE_DUNK, 0, MEGA_REQUEST_ACT, 5);
        check_request(MEGA_GAME_DOUBLE_DUNK, 0, MEGA_REQUEST_ACT, 0);
    }
    check_request(MEGA_GAME_DOUBLE_DUNK, 0, MEGA_REQUEST_FAIL, 0);
}

// Every loop of every game ends, whatever constant RAM it looks at.
static void test_select_ends(void) {
    const int32_t most_calls = 1000000;
    for (int32_t game = 0; game < MEGA_GAME_COUNT; game++) {
        const mega_game_facts *facts = mega_catalogue_game(game);
        for (int32_t fill = 0; fill < 256; fill += 85) {
            begin(game);
            memset(ram, fill, sizeof ram);
            memset(cart_ram, fill, sizeof cart_ram);
            mega_request request = {MEGA_REQUEST_SELECT, 0};
            int32_t calls = 0;
            while (request.kind != MEGA_REQUEST_DONE && request.kind != MEGA_REQUEST_FAIL &&
                   calls < most_calls) {
                request = mega_rules_select(game, &rules, memory(), facts->modes[facts->mode_count - 1]);
                calls++;
            }
            MEGA_CHECK(calls < most_calls);
        }
    }
}

static void test_unknown_game(void) {
    begin(MEGA_GAME_COUNT);
    mega_rules zero;
    memset(&zero, 0, sizeof zero);
    mega_rules_step(MEGA_GAME_COUNT, &rules, memory());
    MEGA_CHECK_BYTES(&rules, &zero, sizeof zero);
}

static void test_catalogue(void) {
    MEGA_CHECK_EQ(mega_catalogue_game_count, MEGA_GAME_COUNT);
    MEGA_CHECK(mega_catalogue_game(-1) == NULL);
    MEGA_CHECK(mega_catalogue_game(MEGA_GAME_COUNT) == NULL);
    MEGA_CHECK_EQ(mega_catalogue_find_name("space_invaders"), MEGA_GAME_SPACE_INVADERS);
    MEGA_CHECK_EQ(mega_catalogue_find_name("combat"), -1);
    MEGA_CHECK_EQ(mega_catalogue_find_name(NULL), -1);
    MEGA_CHECK_EQ(mega_catalogue_find_md5("f1a0a23e6464d954e3a9579c4ccd01c8"), MEGA_GAME_ALIEN);
    MEGA_CHECK_EQ(mega_catalogue_find_md5(""), -1);
    MEGA_CHECK(mega_catalogue_find_cart(NULL) == NULL);
    MEGA_CHECK(mega_catalogue_find_cart("00000000000000000000000000000000") == NULL);
    for (int32_t game = 0; game < mega_catalogue_game_count; game++) {
        const mega_game_facts *facts = mega_catalogue_game(game);
        MEGA_CHECK_EQ(mega_catalogue_find_name(facts->name), game);
        MEGA_CHECK_EQ(mega_catalogue_find_md5(facts->md5), game);
        MEGA_CHECK(mega_catalogue_find_cart(facts->md5) != NULL);
        MEGA_CHECK_EQ(strlen(facts->md5), 32);
        MEGA_CHECK(facts->mode_count > 0 && facts->difficulty_count > 0 && facts->minimal_actions != 0);
        MEGA_CHECK_EQ(facts->minimal_actions & ~facts->legal_actions, 0);
        MEGA_CHECK_EQ(facts->starting_actions == NULL, facts->starting_action_count == 0);
    }
    const mega_game_facts *skiing = mega_catalogue_game(MEGA_GAME_SKIING);
    MEGA_CHECK_EQ(skiing->legal_actions, 0x3FD);
    const mega_game_facts *zapper = mega_catalogue_game(MEGA_GAME_WORD_ZAPPER);
    MEGA_CHECK_EQ(zapper->starting_action_count, 489);
    MEGA_CHECK_EQ(zapper->starting_actions[485] + zapper->starting_actions[487], 0);
    MEGA_CHECK_EQ(zapper->starting_actions[486], 1);
    MEGA_CHECK_EQ(mega_catalogue_game(MEGA_GAME_SIR_LANCELOT)->starting_actions[0], MEGA_STARTING_RESET);
    MEGA_CHECK_EQ(mega_catalogue_game(MEGA_GAME_BLACKJACK)->paddle_max, 795000);
    MEGA_CHECK_EQ(mega_catalogue_game(MEGA_GAME_PONG)->paddle_max, 0);
    const mega_cart_facts *pong = mega_catalogue_find_cart(mega_catalogue_game(MEGA_GAME_PONG)->md5);
    MEGA_CHECK_EQ(pong->left_controller, MEGA_CONTROLLER_PADDLES);
    MEGA_CHECK_EQ(pong->right_controller, MEGA_CONTROLLER_PADDLES);
    MEGA_CHECK_EQ(pong->swap_paddles, 1);
    const mega_cart_facts *amidar = mega_catalogue_find_cart(mega_catalogue_game(MEGA_GAME_AMIDAR)->md5);
    MEGA_CHECK_EQ(amidar->left_difficulty_a + amidar->right_difficulty_a, 2);
    const mega_cart_facts *qbert = mega_catalogue_find_cart(mega_catalogue_game(MEGA_GAME_QBERT)->md5);
    MEGA_CHECK_EQ(qbert->ystart, 40);
    MEGA_CHECK_EQ(qbert->height, 210);
    const mega_cart_facts *robotank = mega_catalogue_find_cart(mega_catalogue_game(MEGA_GAME_ROBOTANK)->md5);
    MEGA_CHECK(strcmp(robotank->scheme, "FE") == 0);
}

int main(void) {
    test_score();
    test_backgammon();
    test_cartridge_ram();
    test_kept_var();
    test_select();
    test_select_fails();
    test_select_ends();
    test_unknown_game();
    test_catalogue();
    return mega_test_result();
}
