// mega_games.h - the rules of all games, chosen by a game's number. Shared source.
//
// Generated from facts/games by tools/gen_games.py; edit the facts.
#ifndef MEGA_GAMES_H
#define MEGA_GAMES_H
#include "game_adventure.h"
#include "game_air_raid.h"
#include "game_alien.h"
#include "game_amidar.h"
#include "game_assault.h"
#include "game_asterix.h"
#include "game_asteroids.h"
#include "game_atlantis.h"
#include "game_atlantis2.h"
#include "game_backgammon.h"
#include "game_bank_heist.h"
#include "game_basic_math.h"
#include "game_battle_zone.h"
#include "game_beam_rider.h"
#include "game_berzerk.h"
#include "game_blackjack.h"
#include "game_bowling.h"
#include "game_boxing.h"
#include "game_breakout.h"
#include "game_carnival.h"
#include "game_casino.h"
#include "game_centipede.h"
#include "game_chopper_command.h"
#include "game_comet_catch.h"
#include "game_crazy_climber.h"
#include "game_crossbow.h"
#include "game_darkchambers.h"
#include "game_defender.h"
#include "game_demon_attack.h"
#include "game_donkey_kong.h"
#include "game_double_dunk.h"
#include "game_earthworld.h"
#include "game_elevator_action.h"
#include "game_enduro.h"
#include "game_entombed.h"
#include "game_et.h"
#include "game_fishing_derby.h"
#include "game_flag_capture.h"
#include "game_freeway.h"
#include "game_frogger.h"
#include "game_frostbite.h"
#include "game_galaxian.h"
#include "game_gopher.h"
#include "game_gravitar.h"
#include "game_hangman.h"
#include "game_haunted_house.h"
#include "game_hero.h"
#include "game_human_cannonball.h"
#include "game_ice_hockey.h"
#include "game_jamesbond.h"
#include "game_journey_escape.h"
#include "game_kaboom.h"
#include "game_kangaroo.h"
#include "game_keystone_kapers.h"
#include "game_king_kong.h"
#include "game_klax.h"
#include "game_koolaid.h"
#include "game_krull.h"
#include "game_kung_fu_master.h"
#include "game_laser_gates.h"
#include "game_lost_luggage.h"
#include "game_mario_bros.h"
#include "game_miniature_golf.h"
#include "game_montezuma_revenge.h"
#include "game_mr_do.h"
#include "game_ms_pacman.h"
#include "game_name_this_game.h"
#include "game_othello.h"
#include "game_pacman.h"
#include "game_phoenix.h"
#include "game_pitfall.h"
#include "game_pitfall2.h"
#include "game_pong.h"
#include "game_pooyan.h"
#include "game_private_eye.h"
#include "game_qbert.h"
#include "game_riverraid.h"
#include "game_road_runner.h"
#include "game_robotank.h"
#include "game_seaquest.h"
#include "game_sir_lancelot.h"
#include "game_skiing.h"
#include "game_solaris.h"
#include "game_space_invaders.h"
#include "game_space_war.h"
#include "game_star_gunner.h"
#include "game_superman.h"
#include "game_surround.h"
#include "game_tennis.h"
#include "game_tetris.h"
#include "game_tic_tac_toe_3d.h"
#include "game_time_pilot.h"
#include "game_trondead.h"
#include "game_turmoil.h"
#include "game_tutankham.h"
#include "game_up_n_down.h"
#include "game_venture.h"
#include "game_video_checkers.h"
#include "game_video_chess.h"
#include "game_video_cube.h"
#include "game_video_pinball.h"
#include "game_wizard_of_wor.h"
#include "game_word_zapper.h"
#include "game_yars_revenge.h"
#include "game_zaxxon.h"

// Game numbers, also the index into the catalogue. Any other number is a game without
// rules: no reward, no lives, no end, no modes.
enum {
    MEGA_GAME_ADVENTURE,
    MEGA_GAME_AIR_RAID,
    MEGA_GAME_ALIEN,
    MEGA_GAME_AMIDAR,
    MEGA_GAME_ASSAULT,
    MEGA_GAME_ASTERIX,
    MEGA_GAME_ASTEROIDS,
    MEGA_GAME_ATLANTIS,
    MEGA_GAME_ATLANTIS2,
    MEGA_GAME_BACKGAMMON,
    MEGA_GAME_BANK_HEIST,
    MEGA_GAME_BASIC_MATH,
    MEGA_GAME_BATTLE_ZONE,
    MEGA_GAME_BEAM_RIDER,
    MEGA_GAME_BERZERK,
    MEGA_GAME_BLACKJACK,
    MEGA_GAME_BOWLING,
    MEGA_GAME_BOXING,
    MEGA_GAME_BREAKOUT,
    MEGA_GAME_CARNIVAL,
    MEGA_GAME_CASINO,
    MEGA_GAME_CENTIPEDE,
    MEGA_GAME_CHOPPER_COMMAND,
    MEGA_GAME_COMET_CATCH,
    MEGA_GAME_CRAZY_CLIMBER,
    MEGA_GAME_CROSSBOW,
    MEGA_GAME_DARKCHAMBERS,
    MEGA_GAME_DEFENDER,
    MEGA_GAME_DEMON_ATTACK,
    MEGA_GAME_DONKEY_KONG,
    MEGA_GAME_DOUBLE_DUNK,
    MEGA_GAME_EARTHWORLD,
    MEGA_GAME_ELEVATOR_ACTION,
    MEGA_GAME_ENDURO,
    MEGA_GAME_ENTOMBED,
    MEGA_GAME_ET,
    MEGA_GAME_FISHING_DERBY,
    MEGA_GAME_FLAG_CAPTURE,
    MEGA_GAME_FREEWAY,
    MEGA_GAME_FROGGER,
    MEGA_GAME_FROSTBITE,
    MEGA_GAME_GALAXIAN,
    MEGA_GAME_GOPHER,
    MEGA_GAME_GRAVITAR,
    MEGA_GAME_HANGMAN,
    MEGA_GAME_HAUNTED_HOUSE,
    MEGA_GAME_HERO,
    MEGA_GAME_HUMAN_CANNONBALL,
    MEGA_GAME_ICE_HOCKEY,
    MEGA_GAME_JAMESBOND,
    MEGA_GAME_JOURNEY_ESCAPE,
    MEGA_GAME_KABOOM,
    MEGA_GAME_KANGAROO,
    MEGA_GAME_KEYSTONE_KAPERS,
    MEGA_GAME_KING_KONG,
    MEGA_GAME_KLAX,
    MEGA_GAME_KOOLAID,
    MEGA_GAME_KRULL,
    MEGA_GAME_KUNG_FU_MASTER,
    MEGA_GAME_LASER_GATES,
    MEGA_GAME_LOST_LUGGAGE,
    MEGA_GAME_MARIO_BROS,
    MEGA_GAME_MINIATURE_GOLF,
    MEGA_GAME_MONTEZUMA_REVENGE,
    MEGA_GAME_MR_DO,
    MEGA_GAME_MS_PACMAN,
    MEGA_GAME_NAME_THIS_GAME,
    MEGA_GAME_OTHELLO,
    MEGA_GAME_PACMAN,
    MEGA_GAME_PHOENIX,
    MEGA_GAME_PITFALL,
    MEGA_GAME_PITFALL2,
    MEGA_GAME_PONG,
    MEGA_GAME_POOYAN,
    MEGA_GAME_PRIVATE_EYE,
    MEGA_GAME_QBERT,
    MEGA_GAME_RIVERRAID,
    MEGA_GAME_ROAD_RUNNER,
    MEGA_GAME_ROBOTANK,
    MEGA_GAME_SEAQUEST,
    MEGA_GAME_SIR_LANCELOT,
    MEGA_GAME_SKIING,
    MEGA_GAME_SOLARIS,
    MEGA_GAME_SPACE_INVADERS,
    MEGA_GAME_SPACE_WAR,
    MEGA_GAME_STAR_GUNNER,
    MEGA_GAME_SUPERMAN,
    MEGA_GAME_SURROUND,
    MEGA_GAME_TENNIS,
    MEGA_GAME_TETRIS,
    MEGA_GAME_TIC_TAC_TOE_3D,
    MEGA_GAME_TIME_PILOT,
    MEGA_GAME_TRONDEAD,
    MEGA_GAME_TURMOIL,
    MEGA_GAME_TUTANKHAM,
    MEGA_GAME_UP_N_DOWN,
    MEGA_GAME_VENTURE,
    MEGA_GAME_VIDEO_CHECKERS,
    MEGA_GAME_VIDEO_CHESS,
    MEGA_GAME_VIDEO_CUBE,
    MEGA_GAME_VIDEO_PINBALL,
    MEGA_GAME_WIZARD_OF_WOR,
    MEGA_GAME_WORD_ZAPPER,
    MEGA_GAME_YARS_REVENGE,
    MEGA_GAME_ZAXXON,
    MEGA_GAME_COUNT
};

// Sets back what a reset of the environment sets back. What a game keeps over resets stays.
MEGA_FN void mega_rules_reset(int32_t game, mega_rules *rules) {
    rules->reward = 0;
    rules->local[0] = 0;
    rules->local[1] = 0;
    rules->noted = 0;
    rules->tries = 0;
    rules->stage = 0;
    rules->terminal = 0;
    switch (game) {
    case MEGA_GAME_ADVENTURE:
        game_adventure_reset(rules);
        break;
    case MEGA_GAME_AIR_RAID:
        game_air_raid_reset(rules);
        break;
    case MEGA_GAME_ALIEN:
        game_alien_reset(rules);
        break;
    case MEGA_GAME_AMIDAR:
        game_amidar_reset(rules);
        break;
    case MEGA_GAME_ASSAULT:
        game_assault_reset(rules);
        break;
    case MEGA_GAME_ASTERIX:
        game_asterix_reset(rules);
        break;
    case MEGA_GAME_ASTEROIDS:
        game_asteroids_reset(rules);
        break;
    case MEGA_GAME_ATLANTIS:
        game_atlantis_reset(rules);
        break;
    case MEGA_GAME_ATLANTIS2:
        game_atlantis2_reset(rules);
        break;
    case MEGA_GAME_BACKGAMMON:
        game_backgammon_reset(rules);
        break;
    case MEGA_GAME_BANK_HEIST:
        game_bank_heist_reset(rules);
        break;
    case MEGA_GAME_BASIC_MATH:
        game_basic_math_reset(rules);
        break;
    case MEGA_GAME_BATTLE_ZONE:
        game_battle_zone_reset(rules);
        break;
    case MEGA_GAME_BEAM_RIDER:
        game_beam_rider_reset(rules);
        break;
    case MEGA_GAME_BERZERK:
        game_berzerk_reset(rules);
        break;
    case MEGA_GAME_BLACKJACK:
        game_blackjack_reset(rules);
        break;
    case MEGA_GAME_BOWLING:
        game_bowling_reset(rules);
        break;
    case MEGA_GAME_BOXING:
        game_boxing_reset(rules);
        break;
    case MEGA_GAME_BREAKOUT:
        game_breakout_reset(rules);
        break;
    case MEGA_GAME_CARNIVAL:
        game_carnival_reset(rules);
        break;
    case MEGA_GAME_CASINO:
        game_casino_reset(rules);
        break;
    case MEGA_GAME_CENTIPEDE:
        game_centipede_reset(rules);
        break;
    case MEGA_GAME_CHOPPER_COMMAND:
        game_chopper_command_reset(rules);
        break;
    case MEGA_GAME_COMET_CATCH:
        game_comet_catch_reset(rules);
        break;
    case MEGA_GAME_CRAZY_CLIMBER:
        game_crazy_climber_reset(rules);
        break;
    case MEGA_GAME_CROSSBOW:
        game_crossbow_reset(rules);
        break;
    case MEGA_GAME_DARKCHAMBERS:
        game_darkchambers_reset(rules);
        break;
    case MEGA_GAME_DEFENDER:
        game_defender_reset(rules);
        break;
    case MEGA_GAME_DEMON_ATTACK:
        game_demon_attack_reset(rules);
        break;
    case MEGA_GAME_DONKEY_KONG:
        game_donkey_kong_reset(rules);
        break;
    case MEGA_GAME_DOUBLE_DUNK:
        game_double_dunk_reset(rules);
        break;
    case MEGA_GAME_EARTHWORLD:
        game_earthworld_reset(rules);
        break;
    case MEGA_GAME_ELEVATOR_ACTION:
        game_elevator_action_reset(rules);
        break;
    case MEGA_GAME_ENDURO:
        game_enduro_reset(rules);
        break;
    case MEGA_GAME_ENTOMBED:
        game_entombed_reset(rules);
        break;
    case MEGA_GAME_ET:
        game_et_reset(rules);
        break;
    case MEGA_GAME_FISHING_DERBY:
        game_fishing_derby_reset(rules);
        break;
    case MEGA_GAME_FLAG_CAPTURE:
        game_flag_capture_reset(rules);
        break;
    case MEGA_GAME_FREEWAY:
        game_freeway_reset(rules);
        break;
    case MEGA_GAME_FROGGER:
        game_frogger_reset(rules);
        break;
    case MEGA_GAME_FROSTBITE:
        game_frostbite_reset(rules);
        break;
    case MEGA_GAME_GALAXIAN:
        game_galaxian_reset(rules);
        break;
    case MEGA_GAME_GOPHER:
        game_gopher_reset(rules);
        break;
    case MEGA_GAME_GRAVITAR:
        game_gravitar_reset(rules);
        break;
    case MEGA_GAME_HANGMAN:
        game_hangman_reset(rules);
        break;
    case MEGA_GAME_HAUNTED_HOUSE:
        game_haunted_house_reset(rules);
        break;
    case MEGA_GAME_HERO:
        game_hero_reset(rules);
        break;
    case MEGA_GAME_HUMAN_CANNONBALL:
        game_human_cannonball_reset(rules);
        break;
    case MEGA_GAME_ICE_HOCKEY:
        game_ice_hockey_reset(rules);
        break;
    case MEGA_GAME_JAMESBOND:
        game_jamesbond_reset(rules);
        break;
    case MEGA_GAME_JOURNEY_ESCAPE:
        game_journey_escape_reset(rules);
        break;
    case MEGA_GAME_KABOOM:
        game_kaboom_reset(rules);
        break;
    case MEGA_GAME_KANGAROO:
        game_kangaroo_reset(rules);
        break;
    case MEGA_GAME_KEYSTONE_KAPERS:
        game_keystone_kapers_reset(rules);
        break;
    case MEGA_GAME_KING_KONG:
        game_king_kong_reset(rules);
        break;
    case MEGA_GAME_KLAX:
        game_klax_reset(rules);
        break;
    case MEGA_GAME_KOOLAID:
        game_koolaid_reset(rules);
        break;
    case MEGA_GAME_KRULL:
        game_krull_reset(rules);
        break;
    case MEGA_GAME_KUNG_FU_MASTER:
        game_kung_fu_master_reset(rules);
        break;
    case MEGA_GAME_LASER_GATES:
        game_laser_gates_reset(rules);
        break;
    case MEGA_GAME_LOST_LUGGAGE:
        game_lost_luggage_reset(rules);
        break;
    case MEGA_GAME_MARIO_BROS:
        game_mario_bros_reset(rules);
        break;
    case MEGA_GAME_MINIATURE_GOLF:
        game_miniature_golf_reset(rules);
        break;
    case MEGA_GAME_MONTEZUMA_REVENGE:
        game_montezuma_revenge_reset(rules);
        break;
    case MEGA_GAME_MR_DO:
        game_mr_do_reset(rules);
        break;
    case MEGA_GAME_MS_PACMAN:
        game_ms_pacman_reset(rules);
        break;
    case MEGA_GAME_NAME_THIS_GAME:
        game_name_this_game_reset(rules);
        break;
    case MEGA_GAME_OTHELLO:
        game_othello_reset(rules);
        break;
    case MEGA_GAME_PACMAN:
        game_pacman_reset(rules);
        break;
    case MEGA_GAME_PHOENIX:
        game_phoenix_reset(rules);
        break;
    case MEGA_GAME_PITFALL:
        game_pitfall_reset(rules);
        break;
    case MEGA_GAME_PITFALL2:
        game_pitfall2_reset(rules);
        break;
    case MEGA_GAME_PONG:
        game_pong_reset(rules);
        break;
    case MEGA_GAME_POOYAN:
        game_pooyan_reset(rules);
        break;
    case MEGA_GAME_PRIVATE_EYE:
        game_private_eye_reset(rules);
        break;
    case MEGA_GAME_QBERT:
        game_qbert_reset(rules);
        break;
    case MEGA_GAME_RIVERRAID:
        game_riverraid_reset(rules);
        break;
    case MEGA_GAME_ROAD_RUNNER:
        game_road_runner_reset(rules);
        break;
    case MEGA_GAME_ROBOTANK:
        game_robotank_reset(rules);
        break;
    case MEGA_GAME_SEAQUEST:
        game_seaquest_reset(rules);
        break;
    case MEGA_GAME_SIR_LANCELOT:
        game_sir_lancelot_reset(rules);
        break;
    case MEGA_GAME_SKIING:
        game_skiing_reset(rules);
        break;
    case MEGA_GAME_SOLARIS:
        game_solaris_reset(rules);
        break;
    case MEGA_GAME_SPACE_INVADERS:
        game_space_invaders_reset(rules);
        break;
    case MEGA_GAME_SPACE_WAR:
        game_space_war_reset(rules);
        break;
    case MEGA_GAME_STAR_GUNNER:
        game_star_gunner_reset(rules);
        break;
    case MEGA_GAME_SUPERMAN:
        game_superman_reset(rules);
        break;
    case MEGA_GAME_SURROUND:
        game_surround_reset(rules);
        break;
    case MEGA_GAME_TENNIS:
        game_tennis_reset(rules);
        break;
    case MEGA_GAME_TETRIS:
        game_tetris_reset(rules);
        break;
    case MEGA_GAME_TIC_TAC_TOE_3D:
        game_tic_tac_toe_3d_reset(rules);
        break;
    case MEGA_GAME_TIME_PILOT:
        game_time_pilot_reset(rules);
        break;
    case MEGA_GAME_TRONDEAD:
        game_trondead_reset(rules);
        break;
    case MEGA_GAME_TURMOIL:
        game_turmoil_reset(rules);
        break;
    case MEGA_GAME_TUTANKHAM:
        game_tutankham_reset(rules);
        break;
    case MEGA_GAME_UP_N_DOWN:
        game_up_n_down_reset(rules);
        break;
    case MEGA_GAME_VENTURE:
        game_venture_reset(rules);
        break;
    case MEGA_GAME_VIDEO_CHECKERS:
        game_video_checkers_reset(rules);
        break;
    case MEGA_GAME_VIDEO_CHESS:
        game_video_chess_reset(rules);
        break;
    case MEGA_GAME_VIDEO_CUBE:
        game_video_cube_reset(rules);
        break;
    case MEGA_GAME_VIDEO_PINBALL:
        game_video_pinball_reset(rules);
        break;
    case MEGA_GAME_WIZARD_OF_WOR:
        game_wizard_of_wor_reset(rules);
        break;
    case MEGA_GAME_WORD_ZAPPER:
        game_word_zapper_reset(rules);
        break;
    case MEGA_GAME_YARS_REVENGE:
        game_yars_revenge_reset(rules);
        break;
    case MEGA_GAME_ZAXXON:
        game_zaxxon_reset(rules);
        break;
    default:
        rules->lives = 0;
        break;
    }
}

// Makes new rules: all bytes are set, rules->lives is the most lives that the game begins with.
MEGA_FN void mega_rules_construct(int32_t game, mega_rules *rules) {
    for (int32_t i = 0; i < MEGA_RULES_VARS; i++) {
        rules->var[i] = 0;
    }
    mega_rules_reset(game, rules);
}

// Reads the RAM after a frame and sets reward, terminal and lives.
MEGA_FN void mega_rules_step(int32_t game, mega_rules *rules, mega_memory memory) {
    switch (game) {
    case MEGA_GAME_ADVENTURE:
        game_adventure_step(rules, memory);
        break;
    case MEGA_GAME_AIR_RAID:
        game_air_raid_step(rules, memory);
        break;
    case MEGA_GAME_ALIEN:
        game_alien_step(rules, memory);
        break;
    case MEGA_GAME_AMIDAR:
        game_amidar_step(rules, memory);
        break;
    case MEGA_GAME_ASSAULT:
        game_assault_step(rules, memory);
        break;
    case MEGA_GAME_ASTERIX:
        game_asterix_step(rules, memory);
        break;
    case MEGA_GAME_ASTEROIDS:
        game_asteroids_step(rules, memory);
        break;
    case MEGA_GAME_ATLANTIS:
        game_atlantis_step(rules, memory);
        break;
    case MEGA_GAME_ATLANTIS2:
        game_atlantis2_step(rules, memory);
        break;
    case MEGA_GAME_BACKGAMMON:
        game_backgammon_step(rules, memory);
        break;
    case MEGA_GAME_BANK_HEIST:
        game_bank_heist_step(rules, memory);
        break;
    case MEGA_GAME_BASIC_MATH:
        game_basic_math_step(rules, memory);
        break;
    case MEGA_GAME_BATTLE_ZONE:
        game_battle_zone_step(rules, memory);
        break;
    case MEGA_GAME_BEAM_RIDER:
        game_beam_rider_step(rules, memory);
        break;
    case MEGA_GAME_BERZERK:
        game_berzerk_step(rules, memory);
        break;
    case MEGA_GAME_BLACKJACK:
        game_blackjack_step(rules, memory);
        break;
    case MEGA_GAME_BOWLING:
        game_bowling_step(rules, memory);
        break;
    case MEGA_GAME_BOXING:
        game_boxing_step(rules, memory);
        break;
    case MEGA_GAME_BREAKOUT:
        game_breakout_step(rules, memory);
        break;
    case MEGA_GAME_CARNIVAL:
        game_carnival_step(rules, memory);
        break;
    case MEGA_GAME_CASINO:
        game_casino_step(rules, memory);
        break;
    case MEGA_GAME_CENTIPEDE:
        game_centipede_step(rules, memory);
        break;
    case MEGA_GAME_CHOPPER_COMMAND:
        game_chopper_command_step(rules, memory);
        break;
    case MEGA_GAME_COMET_CATCH:
        game_comet_catch_step(rules, memory);
        break;
    case MEGA_GAME_CRAZY_CLIMBER:
        game_crazy_climber_step(rules, memory);
        break;
    case MEGA_GAME_CROSSBOW:
        game_crossbow_step(rules, memory);
        break;
    case MEGA_GAME_DARKCHAMBERS:
        game_darkchambers_step(rules, memory);
        break;
    case MEGA_GAME_DEFENDER:
        game_defender_step(rules, memory);
        break;
    case MEGA_GAME_DEMON_ATTACK:
        game_demon_attack_step(rules, memory);
        break;
    case MEGA_GAME_DONKEY_KONG:
        game_donkey_kong_step(rules, memory);
        break;
    case MEGA_GAME_DOUBLE_DUNK:
        game_double_dunk_step(rules, memory);
        break;
    case MEGA_GAME_EARTHWORLD:
        game_earthworld_step(rules, memory);
        break;
    case MEGA_GAME_ELEVATOR_ACTION:
        game_elevator_action_step(rules, memory);
        break;
    case MEGA_GAME_ENDURO:
        game_enduro_step(rules, memory);
        break;
    case MEGA_GAME_ENTOMBED:
        game_entombed_step(rules, memory);
        break;
    case MEGA_GAME_ET:
        game_et_step(rules, memory);
        break;
    case MEGA_GAME_FISHING_DERBY:
        game_fishing_derby_step(rules, memory);
        break;
    case MEGA_GAME_FLAG_CAPTURE:
        game_flag_capture_step(rules, memory);
        break;
    case MEGA_GAME_FREEWAY:
        game_freeway_step(rules, memory);
        break;
    case MEGA_GAME_FROGGER:
        game_frogger_step(rules, memory);
        break;
    case MEGA_GAME_FROSTBITE:
        game_frostbite_step(rules, memory);
        break;
    case MEGA_GAME_GALAXIAN:
        game_galaxian_step(rules, memory);
        break;
    case MEGA_GAME_GOPHER:
        game_gopher_step(rules, memory);
        break;
    case MEGA_GAME_GRAVITAR:
        game_gravitar_step(rules, memory);
        break;
    case MEGA_GAME_HANGMAN:
        game_hangman_step(rules, memory);
        break;
    case MEGA_GAME_HAUNTED_HOUSE:
        game_haunted_house_step(rules, memory);
        break;
    case MEGA_GAME_HERO:
        game_hero_step(rules, memory);
        break;
    case MEGA_GAME_HUMAN_CANNONBALL:
        game_human_cannonball_step(rules, memory);
        break;
    case MEGA_GAME_ICE_HOCKEY:
        game_ice_hockey_step(rules, memory);
        break;
    case MEGA_GAME_JAMESBOND:
        game_jamesbond_step(rules, memory);
        break;
    case MEGA_GAME_JOURNEY_ESCAPE:
        game_journey_escape_step(rules, memory);
        break;
    case MEGA_GAME_KABOOM:
        game_kaboom_step(rules, memory);
        break;
    case MEGA_GAME_KANGAROO:
        game_kangaroo_step(rules, memory);
        break;
    case MEGA_GAME_KEYSTONE_KAPERS:
        game_keystone_kapers_step(rules, memory);
        break;
    case MEGA_GAME_KING_KONG:
        game_king_kong_step(rules, memory);
        break;
    case MEGA_GAME_KLAX:
        game_klax_step(rules, memory);
        break;
    case MEGA_GAME_KOOLAID:
        game_koolaid_step(rules, memory);
        break;
    case MEGA_GAME_KRULL:
        game_krull_step(rules, memory);
        break;
    case MEGA_GAME_KUNG_FU_MASTER:
        game_kung_fu_master_step(rules, memory);
        break;
    case MEGA_GAME_LASER_GATES:
        game_laser_gates_step(rules, memory);
        break;
    case MEGA_GAME_LOST_LUGGAGE:
        game_lost_luggage_step(rules, memory);
        break;
    case MEGA_GAME_MARIO_BROS:
        game_mario_bros_step(rules, memory);
        break;
    case MEGA_GAME_MINIATURE_GOLF:
        game_miniature_golf_step(rules, memory);
        break;
    case MEGA_GAME_MONTEZUMA_REVENGE:
        game_montezuma_revenge_step(rules, memory);
        break;
    case MEGA_GAME_MR_DO:
        game_mr_do_step(rules, memory);
        break;
    case MEGA_GAME_MS_PACMAN:
        game_ms_pacman_step(rules, memory);
        break;
    case MEGA_GAME_NAME_THIS_GAME:
        game_name_this_game_step(rules, memory);
        break;
    case MEGA_GAME_OTHELLO:
        game_othello_step(rules, memory);
        break;
    case MEGA_GAME_PACMAN:
        game_pacman_step(rules, memory);
        break;
    case MEGA_GAME_PHOENIX:
        game_phoenix_step(rules, memory);
        break;
    case MEGA_GAME_PITFALL:
        game_pitfall_step(rules, memory);
        break;
    case MEGA_GAME_PITFALL2:
        game_pitfall2_step(rules, memory);
        break;
    case MEGA_GAME_PONG:
        game_pong_step(rules, memory);
        break;
    case MEGA_GAME_POOYAN:
        game_pooyan_step(rules, memory);
        break;
    case MEGA_GAME_PRIVATE_EYE:
        game_private_eye_step(rules, memory);
        break;
    case MEGA_GAME_QBERT:
        game_qbert_step(rules, memory);
        break;
    case MEGA_GAME_RIVERRAID:
        game_riverraid_step(rules, memory);
        break;
    case MEGA_GAME_ROAD_RUNNER:
        game_road_runner_step(rules, memory);
        break;
    case MEGA_GAME_ROBOTANK:
        game_robotank_step(rules, memory);
        break;
    case MEGA_GAME_SEAQUEST:
        game_seaquest_step(rules, memory);
        break;
    case MEGA_GAME_SIR_LANCELOT:
        game_sir_lancelot_step(rules, memory);
        break;
    case MEGA_GAME_SKIING:
        game_skiing_step(rules, memory);
        break;
    case MEGA_GAME_SOLARIS:
        game_solaris_step(rules, memory);
        break;
    case MEGA_GAME_SPACE_INVADERS:
        game_space_invaders_step(rules, memory);
        break;
    case MEGA_GAME_SPACE_WAR:
        game_space_war_step(rules, memory);
        break;
    case MEGA_GAME_STAR_GUNNER:
        game_star_gunner_step(rules, memory);
        break;
    case MEGA_GAME_SUPERMAN:
        game_superman_step(rules, memory);
        break;
    case MEGA_GAME_SURROUND:
        game_surround_step(rules, memory);
        break;
    case MEGA_GAME_TENNIS:
        game_tennis_step(rules, memory);
        break;
    case MEGA_GAME_TETRIS:
        game_tetris_step(rules, memory);
        break;
    case MEGA_GAME_TIC_TAC_TOE_3D:
        game_tic_tac_toe_3d_step(rules, memory);
        break;
    case MEGA_GAME_TIME_PILOT:
        game_time_pilot_step(rules, memory);
        break;
    case MEGA_GAME_TRONDEAD:
        game_trondead_step(rules, memory);
        break;
    case MEGA_GAME_TURMOIL:
        game_turmoil_step(rules, memory);
        break;
    case MEGA_GAME_TUTANKHAM:
        game_tutankham_step(rules, memory);
        break;
    case MEGA_GAME_UP_N_DOWN:
        game_up_n_down_step(rules, memory);
        break;
    case MEGA_GAME_VENTURE:
        game_venture_step(rules, memory);
        break;
    case MEGA_GAME_VIDEO_CHECKERS:
        game_video_checkers_step(rules, memory);
        break;
    case MEGA_GAME_VIDEO_CHESS:
        game_video_chess_step(rules, memory);
        break;
    case MEGA_GAME_VIDEO_CUBE:
        game_video_cube_step(rules, memory);
        break;
    case MEGA_GAME_VIDEO_PINBALL:
        game_video_pinball_step(rules, memory);
        break;
    case MEGA_GAME_WIZARD_OF_WOR:
        game_wizard_of_wor_step(rules, memory);
        break;
    case MEGA_GAME_WORD_ZAPPER:
        game_word_zapper_step(rules, memory);
        break;
    case MEGA_GAME_YARS_REVENGE:
        game_yars_revenge_step(rules, memory);
        break;
    case MEGA_GAME_ZAXXON:
        game_zaxxon_step(rules, memory);
        break;
    default:
        rules->reward = 0;
        rules->terminal = 0;
        rules->lives = 0;
        break;
    }
}

// The next thing to do to reach `mode`, one of the modes in the catalogue. Called after a reset of
// the rules, then again each time that the request was carried out, until DONE or FAIL.
MEGA_FN mega_request mega_rules_select(int32_t game, mega_rules *rules, mega_memory memory,
                                       int32_t mode) {
    switch (game) {
    case MEGA_GAME_ADVENTURE:
        return game_adventure_select(rules, memory, mode);
    case MEGA_GAME_AIR_RAID:
        return game_air_raid_select(rules, memory, mode);
    case MEGA_GAME_ALIEN:
        return game_alien_select(rules, memory, mode);
    case MEGA_GAME_ASTEROIDS:
        return game_asteroids_select(rules, memory, mode);
    case MEGA_GAME_ATLANTIS:
        return game_atlantis_select(rules, memory, mode);
    case MEGA_GAME_BACKGAMMON:
        return game_backgammon_select(rules, memory, mode);
    case MEGA_GAME_BANK_HEIST:
        return game_bank_heist_select(rules, memory, mode);
    case MEGA_GAME_BASIC_MATH:
        return game_basic_math_select(rules, memory, mode);
    case MEGA_GAME_BATTLE_ZONE:
        return game_battle_zone_select(rules, memory, mode);
    case MEGA_GAME_BERZERK:
        return game_berzerk_select(rules, memory, mode);
    case MEGA_GAME_BOWLING:
        return game_bowling_select(rules, memory, mode);
    case MEGA_GAME_BREAKOUT:
        return game_breakout_select(rules, memory, mode);
    case MEGA_GAME_CASINO:
        return game_casino_select(rules, memory, mode);
    case MEGA_GAME_CENTIPEDE:
        return game_centipede_select(rules, memory, mode);
    case MEGA_GAME_CHOPPER_COMMAND:
        return game_chopper_command_select(rules, memory, mode);
    case MEGA_GAME_COMET_CATCH:
        return game_comet_catch_select(rules, memory, mode);
    case MEGA_GAME_CRAZY_CLIMBER:
        return game_crazy_climber_select(rules, memory, mode);
    case MEGA_GAME_CROSSBOW:
        return game_crossbow_select(rules, memory, mode);
    case MEGA_GAME_DEFENDER:
        return game_defender_select(rules, memory, mode);
    case MEGA_GAME_DEMON_ATTACK:
        return game_demon_attack_select(rules, memory, mode);
    case MEGA_GAME_DOUBLE_DUNK:
        return game_double_dunk_select(rules, memory, mode);
    case MEGA_GAME_ET:
        return game_et_select(rules, memory, mode);
    case MEGA_GAME_FLAG_CAPTURE:
        return game_flag_capture_select(rules, memory, mode);
    case MEGA_GAME_FREEWAY:
        return game_freeway_select(rules, memory, mode);
    case MEGA_GAME_FROGGER:
        return game_frogger_select(rules, memory, mode);
    case MEGA_GAME_FROSTBITE:
        return game_frostbite_select(rules, memory, mode);
    case MEGA_GAME_GALAXIAN:
        return game_galaxian_select(rules, memory, mode);
    case MEGA_GAME_GOPHER:
        return game_gopher_select(rules, memory, mode);
    case MEGA_GAME_GRAVITAR:
        return game_gravitar_select(rules, memory, mode);
    case MEGA_GAME_HANGMAN:
        return game_hangman_select(rules, memory, mode);
    case MEGA_GAME_HAUNTED_HOUSE:
        return game_haunted_house_select(rules, memory, mode);
    case MEGA_GAME_HERO:
        return game_hero_select(rules, memory, mode);
    case MEGA_GAME_HUMAN_CANNONBALL:
        return game_human_cannonball_select(rules, memory, mode);
    case MEGA_GAME_ICE_HOCKEY:
        return game_ice_hockey_select(rules, memory, mode);
    case MEGA_GAME_JAMESBOND:
        return game_jamesbond_select(rules, memory, mode);
    case MEGA_GAME_KANGAROO:
        return game_kangaroo_select(rules, memory, mode);
    case MEGA_GAME_KING_KONG:
        return game_king_kong_select(rules, memory, mode);
    case MEGA_GAME_KLAX:
        return game_klax_select(rules, memory, mode);
    case MEGA_GAME_LOST_LUGGAGE:
        return game_lost_luggage_select(rules, memory, mode);
    case MEGA_GAME_MARIO_BROS:
        return game_mario_bros_select(rules, memory, mode);
    case MEGA_GAME_MR_DO:
        return game_mr_do_select(rules, memory, mode);
    case MEGA_GAME_MS_PACMAN:
        return game_ms_pacman_select(rules, memory, mode);
    case MEGA_GAME_NAME_THIS_GAME:
        return game_name_this_game_select(rules, memory, mode);
    case MEGA_GAME_OTHELLO:
        return game_othello_select(rules, memory, mode);
    case MEGA_GAME_PACMAN:
        return game_pacman_select(rules, memory, mode);
    case MEGA_GAME_PONG:
        return game_pong_select(rules, memory, mode);
    case MEGA_GAME_POOYAN:
        return game_pooyan_select(rules, memory, mode);
    case MEGA_GAME_PRIVATE_EYE:
        return game_private_eye_select(rules, memory, mode);
    case MEGA_GAME_SPACE_INVADERS:
        return game_space_invaders_select(rules, memory, mode);
    case MEGA_GAME_SPACE_WAR:
        return game_space_war_select(rules, memory, mode);
    case MEGA_GAME_STAR_GUNNER:
        return game_star_gunner_select(rules, memory, mode);
    case MEGA_GAME_SURROUND:
        return game_surround_select(rules, memory, mode);
    case MEGA_GAME_TENNIS:
        return game_tennis_select(rules, memory, mode);
    case MEGA_GAME_TIC_TAC_TOE_3D:
        return game_tic_tac_toe_3d_select(rules, memory, mode);
    case MEGA_GAME_TURMOIL:
        return game_turmoil_select(rules, memory, mode);
    case MEGA_GAME_TUTANKHAM:
        return game_tutankham_select(rules, memory, mode);
    case MEGA_GAME_VIDEO_CHECKERS:
        return game_video_checkers_select(rules, memory, mode);
    case MEGA_GAME_VIDEO_CHESS:
        return game_video_chess_select(rules, memory, mode);
    case MEGA_GAME_VIDEO_CUBE:
        return game_video_cube_select(rules, memory, mode);
    case MEGA_GAME_VIDEO_PINBALL:
        return game_video_pinball_select(rules, memory, mode);
    case MEGA_GAME_WORD_ZAPPER:
        return game_word_zapper_select(rules, memory, mode);
    case MEGA_GAME_YARS_REVENGE:
        return game_yars_revenge_select(rules, memory, mode);
    case MEGA_GAME_ZAXXON:
        return game_zaxxon_select(rules, memory, mode);
    default:
        return mega_request_make(MEGA_REQUEST_DONE, 0);
    }
}

// The vars that a saved state does not contain, bit i for rules->var[i]: restoring leaves them.
MEGA_FN uint32_t mega_rules_unsaved_vars(int32_t game) {
    switch (game) {
    case MEGA_GAME_HANGMAN:
        return 0x04; // timer
    case MEGA_GAME_VIDEO_CHECKERS:
        return 0x04; // reverse
    case MEGA_GAME_VIDEO_CUBE:
        return 0x02; // timer
    default:
        return 0;
    }
}

// 1 where something that the rules remember stays over resets.
MEGA_FN uint32_t mega_rules_outlast_resets(int32_t game) {
    switch (game) {
    case MEGA_GAME_VIDEO_CUBE:
        return 1; // timer
    default:
        return 0;
    }
}

#endif
