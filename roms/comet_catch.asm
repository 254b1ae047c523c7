; comet_catch.asm - Comet Catch, the game built into Megacade.
;
; Copyright The Megacade authors.
; SPDX-License-Identifier: Apache-2.0
;
; A 4K cartridge for the NTSC Atari 2600. A ship with a cup glides along the horizon. Catch the
; stars that fall into it, keep out of the way of the red meteors. See roms/README.md for the rules
; and the RAM map.
;
; Assemble:  dasm roms/comet_catch.asm -f3 -oroms/comet_catch.bin
;
; ---------------------------------------------------------------------------------------------------
; The picture, 262 lines in every state of the game
;
;     3  VSYNC
;    37  vertical blank   what is to be shown is worked out here (section 6)
;    22  score            four digits: two copies each of player 0 and player 1
;   132  sky              player 1 is one falling object per band; missile 0 and ball are stars
;    16  dusk             the same objects, and player 0 is the ship, before a playfield ridge
;    22  ground           lives (copies of player 0) and the bar of objects still to come (playfield)
;    30  overscan         switches, stick and the rules of the game (section 5)
;
; The sky is a conveyor belt of bands, 34 lines each, that moves down as a whole. A band holds one
; object:
;
;     table index 49      line A   player 1 is placed roughly, with RESP1
;                 48      line B   player 1 is placed exactly, with a late HMOVE
;              47..34     empty
;              33..28     the object's tail
;              27..16     the object's head
;
; `phase` (1..34) tells how many lines of the newest band have come out below the score. The rest
; follows: band i ends phase + 34 * i lines below the top of the sky. All bands are 34 lines high,
; so the kernel needs no comparison of vertical positions at all: it walks down the shape table with
; Y, and when Y reaches 15 the next band begins. X counts the lines of the sky. Shape tables
; overlap by 16 zeros, so that in the dusk, where no band is begun any more, Y can simply walk on
; down to 0. A band that would begin there has nothing to show yet, because its first 16 lines are
; empty: this is why the ship needs no attention while player 1 is being placed.
;
; Horizontal placement. A write takes effect at the end of its instruction, at CPU cycle c of the
; line. RESP1 puts the player at pixel 3*c - 63. Line A has a delay loop of 5 cycles (15 pixels) a
; turn and writes RESP1 at cycle 28 + 5*n, which is pixel 21 + 15*n. An HMOVE at cycle 73 draws no
; black comb at the left edge and moves by (usual amount - 8), that is by 0 to 15 pixels to the left.
; Hence
;                 x = 21 + 15*n - k,   n = 0..8, k = 0..14,   HMP1 = ((8 + k) & 15) << 4
;
; for every x in 7..141 (section 7, PlaceObject). Everything else keeps its place when its own motion
; register holds $80.

        processor 6502

; ---------------------------------------------------------------------------------------------------
; 1. Hardware registers

VSYNC   = $00
VBLANK  = $01
WSYNC   = $02
NUSIZ0  = $04
NUSIZ1  = $05
COLUP0  = $06
COLUP1  = $07
COLUPF  = $08
COLUBK  = $09
CTRLPF  = $0A
PF0     = $0D
PF1     = $0E
PF2     = $0F
RESP0   = $10
RESP1   = $11
RESM0   = $12
RESBL   = $14
AUDC0   = $15
AUDC1   = $16
AUDF0   = $17
AUDF1   = $18
AUDV0   = $19
AUDV1   = $1A
GRP0    = $1B
GRP1    = $1C
ENAM0   = $1D
ENABL   = $1F
HMP0    = $20
HMP1    = $21
HMM0    = $22
HMM1    = $23
HMBL    = $24
HMOVE   = $2A
HMCLR   = $2B

INPT4   = $0C           ; bit 7: 0 while fire is held (read)
SWCHA   = $0280         ; bit 7: 0 while the stick is pushed right, bit 6: left
SWCHB   = $0282         ; bit 0: 0 while RESET is held, bit 1: SELECT, bit 6: left difficulty is A
INTIM   = $0284
TIM64T  = $0296

; ---------------------------------------------------------------------------------------------------
; 2. Constants

SKY_LINES    = 132      ; lines of the sky
DUSK_LINES   = 16       ; lines of the ship's zone
GROUND_LINES = 21       ; lines of the ground after its first one
BAND_LINES   = 34       ; height of a band
BANDS        = 5        ; bands in memory; number 4 is the one that passes the ship
BLANKS       = 16       ; zeros below every shape
BAND_TOP     = BLANKS + BAND_LINES - 1  ; table index of a band's line A

HM_STILL     = $80      ; motion value that makes a late HMOVE move nothing

SHIP_MIN     = 8        ; leftmost place of the ship
SHIP_MAX     = 134      ; rightmost place
SHIP_START   = 71       ; SHIP_MIN + 21 * SHIP_STEP, the middle
SHIP_STEP    = 3        ; pixels per frame
OBJECT_MIN   = 10       ; leftmost place of an object
OBJECT_MAX   = 141      ; rightmost place

LIVES        = 3
OBJECTS      = 64       ; objects in one game
COMBO        = 4        ; from this catch in a row on, a star is worth two
OVER_TIME    = 90       ; frames after a game before fire starts the next
CATCH_FIRST  = 3        ; the ship touches the object in band 4 while phase is in
CATCH_LAST   = 17       ; CATCH_FIRST..CATCH_LAST

T_NONE       = 0        ; kinds of objects
T_STAR       = 1        ; 1..3: stars of three colours
T_FADED      = 4        ; a star that was missed
T_METEOR     = 5
T_CAUGHT     = 6        ; sparks of a star that was caught
T_CRASH      = 7        ; what is left of a meteor

; ---------------------------------------------------------------------------------------------------
; 3. RAM

        SEG.U ram
        ORG $80

; These addresses are documented; the environment reads them.
mode        ds 1        ; $80  0 normal, 1 fast
scoreHi     ds 1        ; $81  score, thousands and hundreds, BCD
scoreLo     ds 1        ; $82  score, tens and ones, BCD
lives       ds 1        ; $83  lives left
gameOver    ds 1        ; $84  1 after a game, until the next one begins
playing     ds 1        ; $85  1 during a game
combo       ds 1        ; $86  stars caught in a row, at most 9
toGo        ds 1        ; $87  objects that have not yet passed the ship
shipX       ds 1        ; $88  place of the ship, SHIP_MIN..SHIP_MAX
phase       ds 1        ; $89  lines of band 0 that are visible, 1..BAND_LINES
obType      ds BANDS    ; $8A  kind of the object in each band
obX         ds BANDS    ; $8F  left edge of the object in each band, OBJECT_MIN..OBJECT_MAX

obCoarse    ds BANDS    ; $94  the same as turns of the delay loop ...
obFine      ds BANDS    ; $99  ... and as motion value
toSpawn     ds 1        ; objects that have not yet appeared
phaseSub    ds 1        ; fraction of phase, in 1/256 lines
starX       ds 1        ; place of the last star, the next one stays in reach
meteorRun   ds 1        ; meteors in a row
rngLo       ds 1        ; random numbers: a 16-bit shift register
rngHi       ds 1
frame       ds 1        ; counts frames
stick       ds 1        ; SWCHA & $C0 of this frame
selectHeld  ds 1        ; SELECT was down on the last frame
idleTime    ds 1        ; frames until fire may start a game
flash       ds 1        ; frames the ship still flashes after a crash
catchSound  ds 1        ; frames left of the sound of channel 0
crashSound  ds 1        ; frames left of the sound of channel 1
catchPitch  ds 1

; Prepared for the kernel in every vertical blank.
gfx         ds 2        ; shape of the current band
col         ds 2        ; colours of the current band
gfxLo       ds BANDS    ; low bytes of both, for each band
colLo       ds BANDS
band        ds 1        ; next band
coarse      ds 1        ; its obCoarse
shipCoarse  ds 1
shipFine    ds 1
shipSize    ds 1        ; NUSIZ0 of the ship
shipGfx     ds DUSK_LINES
shipCol     ds DUSK_LINES
digit0      ds 2        ; pointers to the digits of the score
digit1      ds 2
digit2      ds 2
digit3      ds 2
scoreCol    ds 2        ; pointer to the colours of the digits
row         ds 1
lifeMask    ds 1        ; $FF while there are lives to show
bar1        ds 1        ; PF1 of the bar
bar2        ds 1        ; PF2 of the bar
temp        ds 1

; ---------------------------------------------------------------------------------------------------
; Macros

        MAC PAUSE       ; waits {1} cycles, an even number
        REPEAT {1} / 2
        nop
        REPEND
        ENDM

        MAC SAME_PAGE   ; a branch from {1} to {2} must not cross a page: its timing counts
        IF [{1} ^ {2}] & $FF00
        ECHO "page crossed between", {1}, "and", {2}
        ERR
        ENDIF
        ENDM

; ---------------------------------------------------------------------------------------------------
; 4. Start and frame

        SEG code
        ORG $F000

Start:  SUBROUTINE
        sei
        cld
        ldx #0
        txa
.clear:
        sta 0,x                 ; all of the TIA and all of the RAM, whatever was there
        inx
        bne .clear
        dex
        txs
        lda #$5E                ; the shift register must not be 0
        sta rngHi
        lda #$ED
        sta rngLo
        lda #>Shapes            ; high bytes that never change
        sta gfx+1
        lda #>Colours
        sta col+1
        lda #>Digits
        sta digit0+1
        sta digit1+1
        sta digit2+1
        sta digit3+1
        lda #>ScoreColours
        sta scoreCol+1
        lda #$C0
        sta stick
        lda #1
        sta phase
        lda #SHIP_START
        sta shipX
        sta starX
        lda #1                  ; reflected playfield, ball one pixel wide
        sta CTRLPF
        ldx #BANDS-1            ; every band has a place from the beginning
.place:
        lda #SHIP_START
        sta obX,x
        jsr PlaceObject
        sty obCoarse,x
        sta obFine,x
        dex
        bpl .place

NextFrame: SUBROUTINE
        lda #2
        sta WSYNC
        sta VSYNC
        sta VBLANK
        sta WSYNC
        sta WSYNC
        lda #0
        sta WSYNC
        sta VSYNC
        lda #44                 ; reads 0 after 43 * 64 cycles, on the 37th line
        sta TIM64T
        jsr Prepare
.blank:
        lda INTIM
        bne .blank

; ---------------------------------------------------------------------------------------------------
; 4.1 Score: 22 lines
;
; Player 0 stands at pixel 64 and player 1 at 72, both with a second copy 16 pixels to the right. So
; the four digits are player 0, player 1, player 0, player 1. Each line the first two are
; written before the beam reaches pixel 64. The third must be written while the beam is on the second
; digit (pixels 72..79, cycles 47..49), the fourth while it is on the third (cycles 50..51).

        sta WSYNC               ; line 0. A is 0.
        sta VBLANK
        lda #13
        sta row
        sta WSYNC               ; line 1
        sta WSYNC               ; line 2
.digits:
        sta WSYNC               ; lines 3..16
        ldy row                 ;  3
        lda (scoreCol),y        ;  8
        sta COLUP0              ; 11
        sta COLUP1              ; 14
        lda (digit0),y          ; 19
        sta GRP0                ; 22
        lda (digit1),y          ; 27
        sta GRP1                ; 30
        lda (digit3),y          ; 35
        tax                     ; 37
        lda (digit2),y          ; 42
        PAUSE 2                 ; 44
        sta GRP0                ; 47
        stx.w GRP1              ; 51   four cycles, with an absolute address
        dec row                 ; 56
        bpl .digits             ; 59

        sta WSYNC               ; line 17: from here on players are ship and objects
        lda #0
        sta GRP0
        sta GRP1
        sta NUSIZ1
        lda #HM_STILL
        sta HMP1
        sta HMM0
        sta HMM1
        sta HMBL
        lda shipFine
        sta HMP0
        lda frame               ; the stars twinkle
        lsr
        lsr
        lsr
        and #7
        tax
        lda StarColours,x
        sta COLUP0
        lda StarColours+3,x
        sta COLUPF

        sta WSYNC               ; line 18: the ship, roughly
        PAUSE 18                ; 18
        ldy shipCoarse          ; 21
ShipDelay:
        dey
        bpl ShipDelay               ; 25 + 5 * n
        sta RESP0               ; 28 + 5 * n
        SAME_PAGE ShipDelay, .

        sta WSYNC               ; line 19: the ship, exactly
        ldy #13                 ;  2
LateDelay:
        dey
        bne LateDelay               ; 66
        SAME_PAGE LateDelay, .
        PAUSE 4                 ; 70
        sta HMOVE               ; 73
        bit temp                ; 76   to the end of the line

        PAUSE 18                ; 18   line 20: the object of band 0, roughly
        ldy obCoarse            ; 21
FirstDelay:
        dey
        bpl FirstDelay             ; 25 + 5 * n
        sta RESP1               ; 28 + 5 * n
        SAME_PAGE FirstDelay, .

        sta WSYNC               ; line 21: the object of band 0, exactly
        lda obFine              ;  3
        sta HMP1                ;  6
        lda #HM_STILL           ;  8
        sta HMP0                ; 11
        lda gfxLo               ; 14
        sta gfx                 ; 17
        lda colLo               ; 20
        sta col                 ; 23
        lda obCoarse+1          ; 26
        sta coarse              ; 29
        ldx #1                  ; 31
        stx band                ; 34
        ldx #SKY_LINES          ; 36
        lda phase               ; 39
        clc                     ; 41
        adc #BLANKS-1           ; 43   the first line shows table index phase + 15
        tay                     ; 45
        lda (gfx),y             ; 50
        PAUSE 20                ; 70
        sta HMOVE               ; 73
        jmp SkyBody             ; 76

; ---------------------------------------------------------------------------------------------------
; 4.2 Sky: 132 lines
;
; X counts the lines from 132 down to 1, Y is the index in the shape of the current band, A enters a
; line with the shape byte. The colours of sky and object and the object's shape are all written
; before the first visible pixel (cycle 22.7). The comments give the cycle at which an instruction
; ends.

SkyLine: SUBROUTINE
        sta WSYNC
SkyBody:
        sta GRP1                ;  3
        lda Sky-1,x             ;  7
        sta COLUBK              ; 10
        lda (col),y             ; 15
        sta COLUP1              ; 18
        lda Stars-1,x           ; 22   see the table of stars
        sta NUSIZ0              ; 25
        sta ENAM0               ; 28
        asl                     ; 30
        sta ENABL               ; 33
        bcc .stay1              ; 35   36 when taken
        sta RESM0               ; 38   pixel 50
.stay1:
        asl                     ; 40   38
        dey                     ; 42   40
        dex                     ; 44   42
        beq Dusk                ; 46   44
        lda (gfx),y             ; 51   49
        bcc .stay2              ;      51
        sta RESM0               ;      54   pixel 98
.stay2:
        cpy #BLANKS-1           ;      56
        bne SkyLine             ;      59

        cpx #3                  ; 60   a new band, unless the sky ends within three lines
        bcc LastLines           ; 62

        sta WSYNC               ; line A
        lda Sky-1,x             ;  4
        sta COLUBK              ;  7
        lda #0                  ;  9
        sta GRP1                ; 12
        sta ENAM0               ; 15
        sta ENABL               ; 18
        ldy coarse              ; 21
BandDelay:
        dey
        bpl BandDelay              ; 25 + 5 * n
        sta RESP1               ; 28 + 5 * n
        SAME_PAGE BandDelay, .

        sta WSYNC               ; line B
        dex                     ;  2
        lda Sky-1,x             ;  6
        sta COLUBK              ;  9
        ldy band                ; 12
        lda obFine,y            ; 16
        sta HMP1                ; 19
        lda gfxLo,y             ; 23
        sta gfx                 ; 26
        lda colLo,y             ; 30
        sta col                 ; 33
        iny                     ; 35
        sty band                ; 38
        lda obCoarse,y          ; 42   after band 4 this is not used any more
        sta coarse              ; 45
        ldy #BAND_TOP-2         ; 47
        dex                     ; 49
        lda #0                  ; 51   the band's next lines are empty
        PAUSE 16                ; 67
        bit temp                ; 70   three cycles
        sta HMOVE               ; 73
        jmp SkyBody             ; 76

LastLines:
        sta WSYNC
        lda Sky-1,x
        sta COLUBK
        lda #0
        sta GRP1
        sta ENAM0
        sta ENABL
        dex
        bne LastLines           ; then Y is 15: nothing more to show below

; ---------------------------------------------------------------------------------------------------
; 4.3 Dusk: 16 lines, object and ship
;
; The ridge is written after its left half has been drawn, so this half lags one line behind.

Dusk:   SUBROUTINE              ; still on the last line of the sky, at cycle 47 or before
        lda shipSize            ; 50
        sta NUSIZ0              ; 53
        lda #RIDGE_COLOUR       ; 55
        sta COLUPF              ; 58
        ldx #DUSK_LINES-1       ; 60
        lda (gfx),y             ; 65
.line:
        sta WSYNC               ; 68
        sta GRP1                ;  3
        lda DuskColours,x       ;  7
        sta COLUBK              ; 10
        lda shipGfx,x           ; 14
        sta GRP0                ; 17
        lda shipCol,x           ; 21
        sta COLUP0              ; 24
        lda (col),y             ; 29
        sta COLUP1              ; 32
        lda Ridge0,x            ; 36
        sta PF0                 ; 39
        lda Ridge1,x            ; 43
        sta PF1                 ; 46
        lda Ridge2,x            ; 50
        sta PF2                 ; 53
        dey                     ; 55
        lda (gfx),y             ; 60
        dex                     ; 62
        bpl .line               ; 65

; ---------------------------------------------------------------------------------------------------
; 4.4 Ground: 22 lines, lives and the bar of objects to come

        sta WSYNC               ; line 0
        lda #GROUND_EDGE        ;  2
        sta COLUBK              ;  5
        lda #0                  ;  7
        sta GRP0                ; 10
        sta GRP1                ; 13
        sta PF0                 ; 16
        sta PF1                 ; 19
        sta PF2                 ; 22
        ldx lives               ; 25
        lda LifeCopies,x        ; 29
        sta NUSIZ0              ; 32
        lda #LIFE_COLOUR        ; 34
        sta.w COLUP0            ; 38
        sta RESP0               ; 41   pixel 60: three copies stand in the middle
        lda #BAR_COLOUR
        sta COLUPF
        ldx #GROUND_LINES-1
.ground:
        sta WSYNC               ; lines 1..21
        lda GroundColours,x     ;  4
        sta COLUBK              ;  7
        lda LifeIcon,x          ; 11
        and lifeMask            ; 14
        sta GRP0                ; 17
        lda BarRows,x           ; 21
        and bar1                ; 24
        sta PF1                 ; 27
        lda BarRows,x           ; 31
        and bar2                ; 34
        sta PF2                 ; 37
        dex                     ; 39
        bpl .ground             ; 42

; ---------------------------------------------------------------------------------------------------
; 5. Overscan: 30 lines, the game itself

        lda #2
        sta WSYNC
        sta VBLANK
        lda #36                 ; reads 0 after 35 * 64 cycles, on the 30th line
        sta TIM64T
        lda #0
        sta PF1
        sta PF2
        sta GRP0
        sta COLUBK
        jsr Play
        jsr Sound
.wait:
        lda INTIM
        bne .wait
        jmp NextFrame

; One frame of the game.
Play:   SUBROUTINE
        inc frame
        jsr Random              ; the numbers run on in every state of the game
        lda SWCHA
        and #$C0
        cmp stick
        beq .switches
        sta stick
        lda frame               ; and when the stick moves, the time of it is stirred in: a game
        eor rngLo               ; that begins with another wait goes another way
        sta rngLo
        ora rngHi
        bne .switches
        inc rngLo               ; 0 would stay 0

.switches:
        lda SWCHB
        lsr
        bcs .noReset
        jmp StartGame           ; again on every frame while RESET is held
.noReset:
        lsr
        bcs .noSelect
        lda selectHeld
        bne .selected
        inc selectHeld          ; SELECT has just gone down: next mode, back to the title
        lda mode
        eor #1
        sta mode
        lda #0
        sta playing
        sta gameOver
        sta lives
        sta toGo
        sta combo
        sta idleTime
        beq .selected
.noSelect:
        lda #0
        sta selectHeld
.selected:
        lda playing
        bne .inGame

        lda idleTime            ; Title or end of game: fire starts a game.
        beq .mayStart
        dec idleTime
        bne .idle
.mayStart:
        lda INPT4
        bmi .idle
        jmp StartGame
.idle:
        lda gameOver
        bne .still              ; after a game the picture stands still,
        jmp Scroll              ; before one objects fall and nothing else happens
.still:
        rts

.inGame:
        lda flash
        beq .move
        dec flash
.move:
        lda shipX
        bit stick               ; N: not right, V: not left
        bmi .notRight
        clc
        adc #SHIP_STEP
        cmp #SHIP_MAX+1
        bcc .moved
        lda #SHIP_MAX
        bne .moved
.notRight:
        bvs .moved
        sec
        sbc #SHIP_STEP
        cmp #SHIP_MIN
        bcs .moved
        lda #SHIP_MIN
.moved:
        sta shipX

        jsr Scroll
        lda playing
        beq .still
        jmp Meet

; A new game.
StartGame: SUBROUTINE
        lda #0
        sta scoreHi
        sta scoreLo
        sta gameOver
        sta combo
        sta phaseSub
        sta meteorRun
        sta flash
        sta crashSound
        ldx #BANDS-1
.clear:
        sta obType,x
        dex
        bpl .clear
        lda #BAND_LINES         ; the first object appears at once
        sta phase
        lda #1
        sta playing
        lda #LIVES
        sta lives
        lda #OBJECTS
        sta toSpawn
        sta toGo
        lda #SHIP_START
        sta shipX
        sta starX
        lda #12
        sta catchSound
        sta catchPitch
        rts

; Moves the belt. When a whole band has come out, the last band is dropped and a new one begins.
Scroll: SUBROUTINE
        lda obType+2            ; at the start of a game the first objects come in quickly
        ora obType+3
        ora obType+4
        bne .level
        lda phase
        clc
        adc #4
        bne .moved
.level:
        lda #OBJECTS            ; the speed rises with every eighth object
        sec
        sbc toSpawn
        lsr
        lsr
        lsr
        and #7
        ldx playing
        bne .started
        txa                     ; the title always has the lowest speed
.started:
        ldx mode
        beq .normal
        ora #8
.normal:
        tax
        lda phaseSub
        clc
        adc SpeedLo,x
        sta phaseSub
        lda phase
        adc SpeedHi,x
.moved:
        cmp #BAND_LINES+1
        bcc .same
        sbc #BAND_LINES         ; carry is set
        sta phase
        jmp NextBand
.same:
        sta phase
        rts

NextBand: SUBROUTINE
        lda playing
        beq .shift
        lda obType+BANDS-1
        beq .shift
        dec toGo                ; an object has passed
        bne .shift
        jsr EndGame             ; it was the last
.shift:
        ldx #BANDS-2
.copy:
        lda obType,x
        sta obType+1,x
        lda obX,x
        sta obX+1,x
        lda obCoarse,x
        sta obCoarse+1,x
        lda obFine,x
        sta obFine+1,x
        dex
        bpl .copy
        lda #T_NONE
        sta obType
        lda gameOver
        bne .done
        lda playing             ; without end before a game,
        beq .create
        lda toSpawn             ; OBJECTS times in a game
        beq .done
        dec toSpawn
.create:
        ldx #8
.shake:
        jsr Random
        dex
        bne .shake
        lda rngLo
        lsr
        bcc .star
        lda meteorRun           ; never three meteors in a row
        cmp #2
        bcs .star

        inc meteorRun
        lda #T_METEOR
        sta obType
        bit rngLo
        bmi .aimed
        lda rngHi               ; half of the meteors fall anywhere,
        and #$7F
        clc
        adc #OBJECT_MIN
        bne .place
.aimed:
        lda shipX               ; the others where the ship is now
        clc
        adc #5
        bne .place

.star:
        lda #0
        sta meteorRun
        lda rngLo
        lsr
        and #3
        tax
        lda StarKinds,x
        sta obType
        lda rngHi               ; a star falls within reach of the one before,
        and #15
        tax
        lda starX
        clc
        adc StarJumps,x
        cmp #200                ; (200..255 is left of pixel 0)
        bcs .left
        cmp #OBJECT_MAX+1
        bcs .right
        cmp #OBJECT_MIN
        bcs .inside
.left:
        sta temp                ; and is reflected at the edges
        lda #2*OBJECT_MIN
        bne .reflect
.right:
        sta temp
        lda #<(2*OBJECT_MAX)
.reflect:
        sec
        sbc temp
.inside:
        sta starX
.place:
        sta obX
        jsr PlaceObject
        sty obCoarse
        sta obFine
.done:
        rts

; Lets ship and object meet.
Meet:   SUBROUTINE
        ldy obType+BANDS-1
        beq .nothing
        lda phase
        cmp #CATCH_LAST+1
        bcs .passed
        cmp #CATCH_FIRST
        bcc .nothing

        ldx #0                  ; A := distance of the two centres, X := 0 large ship, 1 small ship
        lda #9
        bit SWCHB
        bvc .large
        inx
        lda #4
.large:
        clc
        adc shipX
        sta temp
        lda obX+BANDS-1
        clc
        adc #4
        sec
        sbc temp
        bcs .distance
        eor #$FF
        adc #1
.distance:
        cpy #T_FADED
        bcc .star
        cpy #T_METEOR
        bne .nothing

        cmp MeteorReach,x
        bcs .nothing
        lda #T_CRASH            ; a meteor hits the ship
        sta obType+BANDS-1
        lda #0
        sta combo
        lda #32
        sta flash
        sta crashSound
        dec lives
        bne .nothing
        jmp EndGame

.star:
        cmp StarReach,x
        bcs .nothing
        lda #T_CAUGHT
        sta obType+BANDS-1
        ldx combo
        cpx #9
        bcs .counted
        inx
        stx combo
.counted:
        lda #1
        cpx #COMBO
        bcc .points
        lda #2
.points:
        sed
        clc
        adc scoreLo
        sta scoreLo
        lda scoreHi
        adc #0
        sta scoreHi
        cld
        lda CatchPitches,x      ; higher with every catch in a row
        sta catchPitch
        lda #9
        sta catchSound
.nothing:
        rts

.passed:
        cpy #T_FADED
        bcs .nothing
        lda #T_FADED            ; a star was missed
        sta obType+BANDS-1
        lda #0
        sta combo
        rts

EndGame: SUBROUTINE
        lda #0
        sta playing
        sta flash
        lda #1
        sta gameOver
        lda #OVER_TIME
        sta idleTime
        rts

; Sound effects: a catch on channel 0, a crash on channel 1.
Sound:  SUBROUTINE
        ldx catchSound
        beq .catch
        dec catchSound
        lda #4                  ; pure tone
        sta AUDC0
        lda catchPitch
        cpx #6
        bcs .first
        sbc #2                  ; carry is clear: three steps up for the second note
.first:
        sta AUDF0
.catch:
        stx AUDV0
        lda crashSound
        beq .crash
        dec crashSound
        lsr
        ldx #8                  ; noise
        stx AUDC1
        tax
        eor #$1F
        sta AUDF1
        txa
.crash:
        sta AUDV1
        rts

; ---------------------------------------------------------------------------------------------------
; 6. Vertical blank: works out what the kernel shows

Prepare: SUBROUTINE
        sta HMCLR
        lda #1                  ; two copies, close
        sta NUSIZ0
        sta NUSIZ1
        sta WSYNC               ; one line of exact timing places everything for the score and stars
        ldy #4                  ;  2
ScoreDelay:
        dey
        bne ScoreDelay          ; 21
        SAME_PAGE ScoreDelay, .
        PAUSE 2                 ; 23
        sta RESM0               ; 26   pixel 14
        lda #$F0                ; 28
        sta HMP0                ; 31   one to the right
        PAUSE 8                 ; 39
        sta RESP0               ; 42   pixel 63
        sta RESP1               ; 45   pixel 72
        PAUSE 20                ; 65
        sta RESBL               ; 68   pixel 140
        sta WSYNC
        sta HMOVE

        lda playing             ; Digits: the score, or before the first game G1 or G2 for the mode.
        ora gameOver
        bne .score
        lda #<(Digits + 10*14)
        sta digit0
        sta digit3
        lda #<(Digits + 11*14)
        sta digit1
        ldx mode
        lda DigitLo+1,x
        sta digit2
        bne .colour
.score:
        lda scoreHi
        jsr HighDigit
        sta digit0
        lda scoreHi
        jsr LowDigit
        sta digit1
        lda scoreLo
        jsr HighDigit
        sta digit2
        lda scoreLo
        jsr LowDigit
        sta digit3
.colour:
        ldx #<ScoreColours      ; silver, gold in a combo, changing after the game
        lda gameOver
        beq .running
        lda frame
        and #16
        bne .gold
        beq .silver
.running:
        lda combo
        cmp #COMBO-1
        bcc .silver
.gold:
        ldx #<(ScoreColours + 14)
.silver:
        stx scoreCol

        ldx #BANDS-1            ; Shapes and colours of the bands; shapes change every 8 frames.
.bands:
        lda frame
        and #8
        ora obType,x
        tay
        lda KindShapes,y
        sta gfxLo,x
        lda KindColours,y
        sta colLo,x
        dex
        bpl .bands

        lda shipX               ; The ship.
        jsr PlaceObject
        sty shipCoarse
        sta shipFine
        ldy #5                  ; double width
        bit SWCHB
        bvc .large
        ldy #0
.large:
        sty shipSize
        ldy #0                  ; Y := $FF if the ship is to be seen
        lda playing
        bne .seen
        lda gameOver
        beq .hidden
        lda lives
        beq .hidden
.seen:
        dey
.hidden:
        sty temp
        ldx #DUSK_LINES-1
.ship:
        lda ShipShape,x
        and temp
        sta shipGfx,x
        lda flash
        and #4
        beq .calm
        lda #$46
        bne .tint
.calm:
        lda ShipColours,x
.tint:
        sta shipCol,x
        dex
        bpl .ship
        lda frame               ; its flame
        and #4
        beq .flame
        lda #%00011000
        and temp
        sta shipGfx+2
        lda #%00100100
        and temp
        sta shipGfx+1
.flame:
        ldx #0                  ; Lives and the bar.
        lda lives
        beq .none
        dex
.none:
        stx lifeMask
        lda toGo
        clc
        adc #3
        lsr
        lsr
        tax
        lda BarLeft,x
        sta bar1
        lda BarRight,x
        sta bar2
        rts

; ---------------------------------------------------------------------------------------------------
; 7. Small subroutines

; A := low byte of the pointer to the digit in the high or low half of A. Changes Y.
HighDigit: SUBROUTINE
        lsr
        lsr
        lsr
        lsr
LowDigit:
        and #15
        tay
        lda DigitLo,y
        rts

; Splits the pixel A (7..141) into Y, turns of the delay loop, and A, the motion value (see the top).
; Keeps X.
PlaceObject: SUBROUTINE
        sec
        sbc #7
        ldy #$FF
.divide:
        iny
        sbc #15
        bcs .divide
        eor #$FF                ; A was remainder - 15, so this is k = 14 - remainder
        adc #8                  ; carry is clear
        asl
        asl
        asl
        asl
        rts

; One step of a 16-bit shift register with feedback; its period is 65535. Changes A only.
Random: SUBROUTINE
        lsr rngHi
        ror rngLo
        bcc .done
        lda rngHi
        eor #$B4
        sta rngHi
.done:
        rts

; ---------------------------------------------------------------------------------------------------
; 8. Tables of the rules

SpeedLo:                        ; lines per frame for every eight objects: mode 0, then mode 1
        .byte <256, <288, <336, <384, <416, <448, <480, <512
        .byte <448, <480, <512, <528, <560, <592, <616, <640
SpeedHi:
        .byte >256, >288, >336, >384, >416, >448, >480, >512
        .byte >448, >480, >512, >528, >560, >592, >616, >640
StarJumps:
        .byte -48, -43, -38, -33, -28, -22, -16, -10, 10, 16, 22, 28, 33, 38, 43, 48
StarKinds:
        .byte T_STAR, T_STAR+1, T_STAR+2, T_STAR
StarReach:                      ; centres closer than this meet: large ship, small ship
        .byte 13, 8
MeteorReach:
        .byte 10, 6
CatchPitches:                   ; by combo, 1..9
        .byte 0, 20, 18, 17, 15, 14, 13, 12, 11, 10
LifeCopies:                     ; NUSIZ0 for 0..3 lives
        .byte 0, 0, 1, 3
BarLeft:                        ; PF1 and PF2 of a bar of 0..16 cells to each side
        .byte 0,0,0,0,0,0,0,0,0, $01,$03,$07,$0F,$1F,$3F,$7F,$FF
BarRight:
        .byte 0,$80,$C0,$E0,$F0,$F8,$FC,$FE,$FF, $FF,$FF,$FF,$FF,$FF,$FF,$FF,$FF
DigitLo:
.N      SET 0
        REPEAT 12
        .byte <(Digits + .N)
.N      SET .N + 14
        REPEND
KindShapes:                     ; by kind, for both halves of the animation
        .byte <ShapeNone, <ShapeStar1, <ShapeStar1, <ShapeStar1, <ShapeStar1, <ShapeRock1, <ShapeBurst1, <ShapeBurst1
        .byte <ShapeNone, <ShapeStar2, <ShapeStar2, <ShapeStar2, <ShapeStar2, <ShapeRock2, <ShapeBurst2, <ShapeBurst2
KindColours:                    ; index 16 of a shape has the first colour
        .byte 0, 0, 18, 36, 54, 72, 90, 108
        .byte 0, 0, 18, 36, 54, 72, 90, 108
StarColours:
        .byte $08, $0A, $0E, $0A, $06, $08, $0C, $08, $08, $0A, $0E

; ---------------------------------------------------------------------------------------------------
; 9. Pictures. All are upside down: index 0 is the lowest line.

RIDGE_COLOUR = $00
GROUND_EDGE  = $C6
LIFE_COLOUR  = $9A
BAR_COLOUR   = $1A

        ALIGN 256
Shapes:                         ; one page: 16 zeros, then 7 times 18 lines of shape and 16 zeros
        MAC GAP
        ds BLANKS, 0
        ENDM

ShapeStar1:
        GAP
        .byte %11000011
        .byte %01100110
        .byte %01111110
        .byte %00111100
        .byte %00111100
        .byte %01111110
        .byte %11111111
        .byte %11111111
        .byte %00111100
        .byte %00111100
        .byte %00011000
        .byte %00011000
        .byte %00010000
        .byte %00001000
        .byte %00000000
        .byte %00010000
        .byte %00000000
        .byte %00001000
ShapeStar2:
        GAP
        .byte %11000011
        .byte %01100110
        .byte %01111110
        .byte %00111100
        .byte %00111100
        .byte %01111110
        .byte %11111111
        .byte %11111111
        .byte %00111100
        .byte %00111100
        .byte %00011000
        .byte %00011000
        .byte %00001000
        .byte %00010000
        .byte %00001000
        .byte %00000000
        .byte %00010000
        .byte %00000000
ShapeRock1:
        GAP
        .byte %00111100
        .byte %01111110
        .byte %01111110
        .byte %11111011
        .byte %11111111
        .byte %11011111
        .byte %10011111
        .byte %11111111
        .byte %11110111
        .byte %01111111
        .byte %01111110
        .byte %00111100
        .byte %01011010
        .byte %00101100
        .byte %01010010
        .byte %00100100
        .byte %00001000
        .byte %00100000
ShapeRock2:
        GAP
        .byte %00111100
        .byte %01111110
        .byte %01111110
        .byte %11111111
        .byte %11101111
        .byte %11111111
        .byte %11111101
        .byte %11011001
        .byte %11111111
        .byte %01111111
        .byte %01110110
        .byte %00111100
        .byte %00111010
        .byte %01010100
        .byte %00101010
        .byte %00010000
        .byte %00100100
        .byte %00000100
ShapeBurst1:
        GAP
        .byte %00000000
        .byte %00100100
        .byte %00000000
        .byte %01000010
        .byte %00011000
        .byte %00100100
        .byte %10111101
        .byte %00111100
        .byte %10100101
        .byte %00011000
        .byte %01000010
        .byte %00000000
        .byte %00100100
        .byte %00000000
        .byte %00000000
        .byte %00000000
        .byte %00000000
        .byte %00000000
ShapeBurst2:
        GAP
        .byte %00011000
        .byte %00000000
        .byte %10000001
        .byte %00100100
        .byte %00000000
        .byte %01000010
        .byte %00000000
        .byte %10000001
        .byte %00000000
        .byte %01000010
        .byte %00000000
        .byte %00100100
        .byte %10000001
        .byte %00000000
        .byte %00011000
        .byte %00000000
        .byte %00000000
        .byte %00000000
ShapeNone:
        GAP
        ds 18, 0
        GAP

        ALIGN 256
Colours:                        ; one page; for each kind 12 lines of head, 6 of tail
        ds BLANKS, 0
        .byte $1A,$1A,$1C,$1C,$1E,$1E,$1E,$0E,$1E,$1E,$1C,$1C, $1A,$18,$18,$16,$14,$12 ; gold star
        .byte $9A,$9A,$AA,$AC,$AC,$AE,$AE,$0E,$AE,$AE,$AC,$AC, $AA,$A8,$A8,$A6,$A4,$A4 ; ice star
        .byte $CA,$CA,$CC,$CC,$DC,$DE,$DE,$0E,$DE,$DE,$CC,$CC, $CA,$C8,$C8,$C6,$C4,$C4 ; green star
        .byte $04,$04,$06,$06,$06,$08,$08,$08,$08,$06,$06,$04, $04,$04,$02,$02,$02,$02 ; faded star
        .byte $42,$44,$44,$46,$46,$46,$48,$48,$46,$46,$48,$38, $3A,$2A,$28,$26,$36,$34 ; meteor
        .byte $0E,$1E,$0E,$1E,$0E,$1E,$0E,$0E,$1E,$0E,$1E,$0E, $1E,$0E,$1E,$0E,$1E,$0E ; caught
        .byte $36,$38,$3A,$2C,$2E,$1E,$0E,$0E,$1E,$2E,$2C,$3A, $38,$36,$36,$36,$36,$36 ; crash

ShipShape:
        .byte %00000000
        .byte %00000000
        .byte %00100100
        .byte %00011000
        .byte %00011000
        .byte %00111100
        .byte %01111110
        .byte %01011010
        .byte %01111110
        .byte %11111111
        .byte %11100111
        .byte %11000011
        .byte %11000011
        .byte %10000001
        .byte %10000001
        .byte %00000000
ShipColours:
        .byte $28,$28,$2A,$2E, $94,$96,$98,$9A,$9C,$0C,$0C,$0E,$0E,$1E,$1E,$1E
DuskColours:
        .byte $64,$64,$64,$64,$62,$64,$62,$62,$62,$60,$62,$60,$60,$60,$60,$60
Ridge0: .byte $F0,$F0,$F0,$F0,$F0,$F0,$E0,$C0,$80,$80,$00,$00,$00,$00,$00,$00
Ridge1: .byte $FF,$FF,$FF,$FF,$FF,$DF,$8F,$87,$02,$00,$00,$00,$00,$00,$00,$00
Ridge2: .byte $FF,$FF,$FF,$FE,$FC,$7C,$38,$10,$00,$00,$00,$00,$00,$00,$00,$00

        ALIGN 256
Digits:                         ; one page; 7 rows, each two lines high
        MAC ROWS
        .byte {1}, {1}, {2}, {2}, {3}, {3}, {4}, {4}, {5}, {5}, {6}, {6}, {7}, {7}
        ENDM
        ROWS %00111100, %01100110, %01100110, %01100110, %01100110, %01100110, %00111100 ; 0
        ROWS %00111100, %00011000, %00011000, %00011000, %00011000, %00111000, %00011000 ; 1
        ROWS %01111110, %01100000, %00110000, %00011100, %00000110, %01000110, %00111100 ; 2
        ROWS %00111100, %01000110, %00000110, %00011100, %00000110, %01000110, %00111100 ; 3
        ROWS %00001100, %00001100, %01111110, %01001100, %00101100, %00011100, %00001100 ; 4
        ROWS %00111100, %01000110, %00000110, %01111100, %01100000, %01100000, %01111110 ; 5
        ROWS %00111100, %01100110, %01100110, %01111100, %01100000, %01100010, %00111100 ; 6
        ROWS %00011000, %00011000, %00011000, %00001100, %00000110, %01000110, %01111110 ; 7
        ROWS %00111100, %01100110, %01100110, %00111100, %01100110, %01100110, %00111100 ; 8
        ROWS %00111100, %01000110, %00000110, %00111110, %01100110, %01100110, %00111100 ; 9
        ROWS 0, 0, 0, 0, 0, 0, 0                                                         ; blank
        ROWS %00111110, %01100110, %01100110, %01101110, %01100000, %01100110, %00111100 ; G

ScoreColours:                   ; silver, gold
        .byte $96,$96,$98,$98,$9A,$9A,$9C,$9C,$0C,$0C,$0E,$0E,$0E,$0E
        .byte $26,$26,$28,$28,$2A,$2A,$2C,$2C,$1C,$1C,$1E,$1E,$1E,$1E
        SAME_PAGE Digits, .

        ALIGN 256
        .byte 0                 ; Sky - 1 must be on the page, too
Sky:                            ; six fades of 22 lines, bottom to top
        MAC FADE                ; from {2} above to {1} below
        .byte {1},{1},{1},{1},{1},{1},{2},{1},{1},{2},{1}
        .byte {2},{1},{2},{2},{1},{2},{2},{2},{2},{2},{2}
        ENDM
        FADE $60,$60
        FADE $60,$70
        FADE $70,$70
        FADE $70,$80
        FADE $80,$80
        FADE $80,$00
        IF * - Sky != SKY_LINES
        ERR
        ENDIF

GroundColours:
        .byte $B0,$B0,$B0,$B0,$B0,$B0,$B0,$B0,$B0,$B0,$B0,$B0,$B0,$B0,$C0,$B0,$C0,$C0,$C2,$C2,$C4
LifeIcon:
        .byte 0,0,0,0,0,0,0,0
        .byte %00111100
        .byte %01111110
        .byte %01011010
        .byte %01111110
        .byte %11111111
        .byte %11100111
        .byte %11000011
        .byte %10000001
        .byte 0,0,0,0,0
BarRows:
        .byte 0,0,$FF,$FF,$FF,$FF,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0
        SAME_PAGE Sky, .

; A byte of the table of stars turns missile 0 and ball on and off for one line and moves the missile
; on lines where it is off:
;     bits 0..2   copies of missile 0: 2 is 0, 32; 3 is 0, 16, 32; 6 is 0, 32, 64 pixels from its place
;     bit 1       missile on          bit 0   ball on, at pixel 140
;     bit 7       missile to pixel 50 bit 6   missile to pixel 98; it begins at pixel 14
; A move stands three times in the table, because lines A and B of a band do not look into it.
        ALIGN 256
        .byte 0                 ; Stars - 1 must be on the page, too
Stars:                          ; bottom to top
        .byte 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0
        .byte 0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,0,0,0,0,0,0,2
        .byte 0,0,0,0,0,$40,$40,$40,0,0,0,3,0,0,0,0,$80,$80,$80,0,0,6
        .byte 0,0,0,$40,$40,$40,0,1,0,0,0,0,0,2,0,0,0,$80,$80,$80,0,2
        .byte 0,0,0,$40,$40,$40,1,0,0,0,6,0,0,0,0,0,$80,$80,$80,0,6,0
        .byte 0,0,$40,$40,$40,0,2,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0
        IF * - Stars != SKY_LINES
        ERR
        ENDIF

; ---------------------------------------------------------------------------------------------------
; 10. Vectors

        ECHO "bytes free:", ($FFFA - *)d
        ORG $FFFA
        .word Start
        .word Start
        .word Start
