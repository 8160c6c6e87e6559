"""Decks to begin with when the reader is fed hostile ones: written ones, which can be solved, and made ones.

`made_deck` writes cards from their declarations (`interstage.nastran.cards`): a card that is declared is tried.
"""

from __future__ import annotations

import random
from collections.abc import Iterable

from interstage.nastran.cards import CARDS, columns

WIDTH = 24  # fields of a made card at most
GRIDS = 30
REALS = ["0.", "1.", "-1.", ".5", "2.5+3", "1.-4", ".3"]
COMPONENTS = ["1", "3", "6", "12", "123", "123456"]
OTHERS = ["", "", "", "", "0", "1", "2", "3", "7", "YES", "THRU", "ALL"]


def made_deck(rng: random.Random, names: Iterable[str]) -> str:
    """Grids, and a card of each name whose fields are what they are declared to be; the others are arbitrary."""
    grids = (
        f"GRID,{k},,{k % 3}.,{k // 3 % 3}.,{k // 9}." + (",,123456" if k == 1 else "")
        for k in range(1, GRIDS + 1)
    )
    return "\n".join([*grids, "MAT1,1,7.+10,,.3,2700.", *(made_card(rng, name) for name in names), ""])


def made_card(rng: random.Random, name: str) -> str:
    """A card from its declaration, in free field."""
    card = CARDS[name]
    reals, grids = set(columns(card.reals, WIDTH)), set(columns(card.grids, WIDTH))
    lists = set(columns(card.components, WIDTH))
    last, most = max({*reals, *grids, *lists, 2}), 4 if card.two_a_card else WIDTH
    fields = []
    for j in range(1, rng.randint(min(last, most), most) + 1):
        if j in card.ids[:1] or (j == 2 and card.properties):
            fields.append(str(rng.randint(1, 3)))
        elif j in reals:
            fields.append(rng.choice(REALS))
        elif j in grids:
            fields.append(str(rng.randint(1, GRIDS)))
        else:
            fields.append(rng.choice(COMPONENTS if j in lists else OTHERS))
    lines = [fields[k : k + 8] for k in range(0, len(fields), 8)]
    return "\n".join(",".join([name if k == 0 else "", *line]) for k, line in enumerate(lines))


SEEDS = [
    """SOL 103
CEND
TITLE = a beam
METHOD = 1
SPC = 2
SET 1 = 1,2,
 3 THRU 7
K2GG = KA, 2.0*KB
SUBCASE 1
 LOAD = 3
SUBCASE 2
 LOAD = 4
BEGIN BULK
PARAM,POST,-1
PARAM   WTMASS  .00259
EIGRL          1                      10
GRID           1              0.      0.      0.
GRID,2,,1.5,7.-4,2.D5
GRID*                  3                              1.              2.
*                     3.
CBAR           1       1       1       2      0.      0.      1.        +A1
+A1                           .1      0.      0.      .1
PBAR,1,1,.1,.2,.3,.4
MAT1,1,7.+10,,.33,2700.
SPC1,2,123456,1,THRU,3
RBE2,9,1,123456,2,3,+
+,4,5
GRID,4,,2.
GRID,5,,3.
DMIG,KA,0,6,1,0
DMIG,KA,4,1,,4,1,1.+5
DMIG,KB,0,6,1,0
DMIG,KB,5,1,,5,1,1.+5
ENDDATA
""",
    """$ bulk only
GRID\t1\t\t0.\t1.\t2.
CORD2R*,5,0,0.,0.
*,0.,0.,0.,1.
*,1.,0.,0.
CHEXA          1       1       1       2       3       4       5       6+X
GRDSET,,,,,,,456
+X             7       8
SPOINT,100,THRU,110
PLOAD4,1,1,1.5,,,,THRU,9
MPC,1,1,1,1.0,2,1,-1.0
,,3,1,.5
""",
    """SOL 111
CEND
METHOD = 1
SPC = 1
DLOAD = 5
FREQ = 7
TSTEP = 8
SDAMPING = 6
NSM = 3
TEMPERATURE(LOAD) = 9
LOAD = 4
BEGIN BULK
EIGRL,1,,,2
GRID,1
GRID,2,,1.,0.,0.
GRID,3,,1.,1.,0.
GRID,4,,0.,1.,0.
GRID,5,,1.,0.,0.
CBAR,1,1,1,2,0.,1.,0.
,,4 5
PBAR,1,1,.1,.2,.3,.4
CQUAD4,2,2,1,2,3,4
PSHELL,2,1,.1,1
PCOMP,3,,,,,20.
,1,.01,30.,,1,.02,-30.
CTRIA3,3,3,1,2,3
MAT1,1,7.+10,,.33,2700.,1.-5,20.
CGAP,4,4,1,3,0.,0.,1.
PGAP,4,0.,,1.+5,,,.2
GENEL,5,,3,1,4,1
,K,2.,-1.,3.
RJOINT,6,2,5
BNDFIX1,123,3
NSM1,3,PSHELL,2.,2
NSML,3,ELEMENT,1,4.
TEMPD,9,50.
TEMP,9,1,40.
TEMPP1,9,2,40.,3.
,3
TEMPRB,9,1,30.,31.,1.,2.,0.,0.
PLOAD1,4,1,FY,FR,0.,1.,1.,2.
RLOAD1,5,12,.01,,13
TLOAD2,15,12,,,0.,1.,2.,30.
DAREA,12,3,3,2.
TABLED1,13
,0.,1.,10.,2.,ENDT
TABDMP1,6,CRIT
,0.,.01,100.,.01,ENDT
FREQ1,7,1.,1.,5
FREQ4,7,1.,50.,.1,3
TSTEP,8,10,.01,1
SPC1,1,1 2 3 4 5 6,1,4
PARAM,AUTOMSET,YES
DEBUG,193,1
ENDDATA
""",
    """SOL 103
CEND
METHOD = 1
SPC = 1
TEMPERATURE(LOAD) = 7
SUBCASE 1
 SUPER = 1
SUBCASE 2
 SUPER = 0
 LOADSET = 30
BEGIN BULK
EIGRL,1,,,5
GRID,41,,1.,0.,0.
GRID,42,,1.,1.,0.
GRID,43,,2.,0.,0.
CBAR,900,1,41,42,0.,0.,1.
PBAR,1,1,.001,2.-6,3.-6,4.-6
MAT1,1,7.+10,,.3,2700.,2.3-5
TEMPD,7,20.
SEBULK,1,PRIMARY,,AUTO,1.-4
SEBULK,7,REPEAT,1
SECONCT,1,0,.1,NO
,2,41,3,42
SEBNDRY,1,0,2,3
SEEXCLD,1,ALL,5
SELOC,7,2,3,1,41,42,43
SEBULK,8,MIRROR,1
SEMPLN,8,PLANE,41,42,43
BEGIN SUPER=1
GRID,1,,0.,0.,0.
GRID,2,,1.,0.,0.
GRID,3,,1.,1.,0.
GRID,4,,0.,1.,0.
GRID,5,,0.,0.,1.
GRID,6,,1.,0.,1.
GRID,7,,1.,1.,1.
GRID,8,,0.,1.,1.
GRID,9,,2.,0.,.5
GRID,10,,2.,1.,.5
GRID,11,,1.,0.,.5
GRID,12,,1.,1.,.5
CHEXA,1,1,1,2,3,4,5,6
,7,8
PCOMPS,1,0,13,,,20.,.01
,1,1,.1,0.
,2,1,.2,45.
CQUAD4,2,2,11,9,10,12
PSHELL,2,1,.1,1,,1
RSSCON,3,ELEM,2,1
RSSCON,4,GRID,11,6,2
MAT1,1,7.+10,,.3,2700.
CBUSH,5,5,9,10,,,,0
PBUSH,5,K,1.+6,1.+6
,,T,1.-5,20.,.5
TEMPD,7,20.
TEMP,7,1,90.
TEMPP1,7,2,40.,3.
NSML1,3,PSHELL,2.,2
SPC1,1,123,1,4,5,8
ENDDATA
""",
    """SOL 101
CEND
SPC = 1
LOAD = 1
TEMPERATURE(LOAD) = 9
BEGIN BULK
GRID,1,,2.,0.,0.
GRID,2,,0.,2.,0.
GRID,3,,1.5,1.5,0.
GRID,4,,0.,0.,0.
GRID,5,,3.,0.,0.
GRID,6,,3.,0.,1.
GRID,7,,3.,0.,.5
GRID,8,,2.,0.,.3
GRID,9,,0.,2.,.3
GRID,10,,0.,0.,.3
CBEND,1,1,1,2,4,,,1
PBEND,1,1,.1,.2,.3,.4,2.,90.
,.1,0.,-.1,0.,0.,.1,0.,-.1
,.5,.5,1.,0.,0.,.01
CBEND,2,2,1,2,0.,1.,0.,2
PBEND,2,1,2,.1,.01,1.+5,2.
CBEAM3,3,3,1,2,3,0.,0.,1.
,.1,0.,0.,.1,0.,0.,.1,0.
PBEAM3,3,1,.1,.2,.3,,.4,1.
,.1,0.,-.1,0.,0.,.1,0.,-.1
,YES,,.1
CBEAM,4,4,1,2,0.,0.,1.
PBCOMP,4,1,.1,,,,.2,1.
,1.,1.,,,,,1
,.1,.2,.25,2
CTRIAX6,5,3,1,,5,7,6,
,10.
MAT3,3,1.+10,2.+10,3.+10,.1,.1,.1,2700.
,,,1.+10,1.-5,1.-5,1.-5
PLOADX1,1,5,1.,2.,1,5,30.
CTRIA3,6,6,1,2,4
CTRIA3,7,7,8,9,10
PSHELL,6,1,.1,1,,1
PSHELL,7,1,.1,1,,1
GRID,20,,.5,.5,.1
CWELD,8,8,20,ELEMID
,6,7
CWELD,9,8,20,GRIDID,,,,TT
,1,2,4
,8,9,10
CWELD,10,8,,PARTPAT
,6,7
,.6,.6,.1
CWELD,11,8,,ALIGN,1,8
PWELD,8,1,.1,,,,,SPOT
CFAST,12,9,PROP,6,7,20
CFAST,13,9,ELEM,6,7,,1,8
PFAST,9,.1,0,1,1.+6,1.+6,1.+6,1.
,1.,1.,.1,.01
MAT1,1,7.+10,,.33,2700.,1.-5,20.
MAT1,2,2.+11,,.3,7800.
TEMPD,9,50.
TEMP,9,5,40.
SPC1,1,123456,4,10
FORCE,1,2,,1.,0.,1.,0.
ENDDATA
""",
    """SOL 101
CEND
SPC = 3
MPC = 1
LOAD = 8
K2GG = KX
M2GG = MX
B2GG = BX
SUPORT1 = 4
NSM = 5
SUBCASE 1
 LOAD = 10
BEGIN BULK
BAROR,,1,,,0.,0.,1.
BEAMOR,,2,,,0.,0.,1.
CORD1R,1,1,2,4
CORD1C,2,1,2,4,3,1,3,4
CORD1S,4,1,2,4
CORD2C,5,0,0.,0.,0.,0.,0.,1.
,1.,0.,0.
CORD2S,6,5,1.,0.,0.,1.,0.,1.
,2.,0.,0.
GRID,1,,0.,0.,0.,1
GRID,2,,1.,0.,0.,2
GRID,3,,1.,1.,0.,5
GRID,4,,0.,1.,0.
GRID,5,,0.,0.,1.
GRID,6,,1.,0.,1.
GRID,7,,1.,1.,1.
GRID,8,,0.,1.,1.
GRID,9,,.5,.5,2.
GRID,10,,.5,0.,0.
GRID,11,5,2.,30.,1.,6
SPOINT,51,52
CPENTA,1,1,1,2,4,5,6,8
CPYRAM,2,1,5,6,7,8,9
CTETRA,3,2,2,3,4,7
PSOLID,1,1,2,TWO,,FULL
PSOLID,2,9,-1
MAT9,9,3.+10,1.+10,1.+10,0.,0.,0.,3.+10
,1.+10,0.,0.,0.,3.+10,0.,0.,0.
,1.+10,0.,0.,1.+10,0.,1.+10,2700.,1.-5
,1.-5,1.-5,0.,0.,0.,20.,.01
MAT1,1,7.+10,,.3,2700.,1.-5,20.,.02
CQUADR,11,11,1,2,3,4
CTRIAR,12,11,5,6,7
CQUAD8,13,12,1,2,3,4,10
CTRIA6,14,13,5,6,8
CTRIA3,15,14,6,7,9
PSHELL,11,2,.01,2,,2
PSHELL,12,8,.01,8,,8
MAT2,2,8.+10,2.+10,0.,8.+10,0.,3.+10,2700.
,1.-5,1.-5,0.,20.
MAT8,8,1.+11,1.+10,.3,5.+9,5.+9,5.+9,1600.
PCOMPG,13,-.01,,,,,.01
,101,8,.01,0.
,102,8,.01,90.
PSHELL,14,1,.01,1,1.,1,.8,.1
SNORM,6,0,0.,0.,1.
CSHEAR,16,16,1,2,6,5
PSHEAR,16,1,.01,.1,1.,1.
CROD,21,21,1,5
CTUBE,22,22,2,6
CONROD,23,3,7,1,.01,.001,0.,.1
PROD,21,1,.01,.001,.05,.1
PTUBE,22,1,.1,.01,.1
CBAR,24,24,4,8,1.,0.,0.,GGO
,45,46,.1,0.,0.,.1
PBARL,24,1,,BOX
,.1,.2,.01,.01,.5
CBEAM,25,25,1,9,0.,1.,0.
,5,4,0.,0.,.1
PBEAM,25,1,.1,.2,.3,.01,.4,.5
,.1,.1,-.1,.1,.1,-.1,-.1,-.1
,YES,.5,.2,.3,.4,.01,.4,.5
,.1,.1,-.1,.1,.1,-.1,-.1,-.1
,YES,1.,.05,.1,.1
,1.,1.,0.,0.,.1,.2
CBEAM,26,26,9,7,0.,1.,0.
PBEAML,26,1,,I
,.2,.1,.1,.01,.01,.01,.1,YES
,.5,.1,.1,.1,.01,.01,.01,.1
CBUSH1D,27,27,5,9
PBUSH1D,27,1.+5,10.,.1
CVISC,28,28,6,9
PVISC,28,10.,20.
CELAS1,31,31,1,1,2,1
CELAS2,32,1.+4,3,3,,,.01,2.
CELAS3,33,31,51,52
CELAS4,34,1.+3,51,0
PELAS,31,1.+5,.01,,32,1.+6
CDAMP1,35,35,1,1,2,1
CDAMP2,36,10.,3,3
CDAMP3,37,35,51,52
CDAMP4,38,1.,51
PDAMP,35,1.,36,2.,37,3.
CMASS1,41,41,1,1,2,1
CMASS2,42,10.,3,3
CMASS3,43,41,51,52
CMASS4,44,1.,51
PMASS,41,1.,42,2.
CONM1,45,9,1,1.,0.,1.,0.,0.
,1.,0.,0.,0.,1.,0.,0.,0.
,0.,1.,0.,0.,0.,0.,0.,1.
CONM2,46,9,-1,2.,.1,.2,.3
,.1,0.,.1,0.,0.,.1
RBAR,61,9,8,123456
RBE1,62,9,123456
,UM,10,123,10,456
RBE3,63,,11,123456,1.,123,5,6
,7,2.,123,8,UM,5,123,6,123
RROD,64,3,7,,3
RTRPLT,65,1,2,3,1236,3,2
CRIGD1,66,1,4
CRIGD2,67,1,3,123
PLOADX,4,1.,2.,1,2,3
EPOINT,901
EIGC,12,HESS,MAX,,,,8
TF,13,901,,1.,.1,0.
,1,1,2.
MPC,1,51,0,1.,52,0,-1.
MPC,2,9,1,1.,5,1,-1.
MPCADD,3,1,2
SPC,1,1,123456,0.,2,3,.1
SPC1,2,3,51
SPCADD,3,1,2
SPCD,9,2,3,.2
ASET,4,123,5,123
ASET1,3,6,7
BSET,4,123,5,123
BSET1,3,6,7
CSET,6,12,7,12
CSET1,3,5
BNDFREE,6,12,7,12
BNDFRE1,3,5
BNDFIX,4,12,5,12
OMIT,8,1,8,2
OMIT1,3,8
QSET,51,0
QSET1,0,52
SUPORT,4,1,4,2
SUPORT1,4,5,3
USET,U1,4,1
USET1,U2,12,5,THRU,8
EIGR,1,MGIV,0.,100.,,5
,MASS
EIGB,2,SINV,0.,10.,3
,MAX
FORCE1,9,5,2.,1,5
FORCE2,9,6,2.,1,2,1,4
MOMENT,10,7,2,3.,0.,0.,1.
MOMENT1,10,8,2.,5,8
MOMENT2,10,6,2.,1,2,1,4
SLOAD,9,51,3.,52,2.
PLOAD,10,2.,1,2,3,4
PLOAD2,9,3.,11,THRU,12
PLOAD4,10,1,2.,,,,1,6
,1,0.,0.,1.
GRAV,11,2,9.81,0.,0.,-1.
RFORCE,12,9,0,2.,0.,0.,1.,1
,.5
LOAD,8,1.,2.,11,3.,12,1.,9
NSMADD,5,6,7
NSM,6,PSHELL,11,2.,12,1.
NSM,6,PBARL,24,1.
NSM1,7,PROD,.5,21,THRU,22
NSML1,7,PSHELL,.5,14
DMIG,KX,0,6,1,0
DMIG,KX,5,1,,5,1,1.+5
,6,2,1.+4
DMIG,MX,0,6,2,0
DMIG,MX,51,0,,51,0,1.D0
DMIG,BX,0,1,1,0,,,1
DMIG*,BX,52,0
*,52,0,3.0
ENDDATA
""",
    """SOL 112
CEND
METHOD = 1
LOADSET = 4
DLOAD = 5
TSTEP = 8
FREQ = 7
SDAMPING = 6
IC = 3
BEGIN BULK
EIGR,1,LAN,,,,2
GRID,1,,0.,0.,0.,,123456
GRID,2,,1.,0.,0.,,23456
SPOINT,3,4
CELAS2,1,1.+4,1,1,2,1,.02
CELAS2,2,1.+4,2,1,3
CELAS4,3,1.+4,3,4
CDAMP2,4,1.,2,1,3
CMASS2,5,1.,2,1
CMASS4,6,2.,3
CMASS4,7,2.,4
PARAM,G,.01
PARAM,W3,100.
PARAM,W4,100.
PARAM,ALPHA1,.1
PARAM,KDAMP,-1
PARAM,LMODES,2
DLOAD,5,1.,2.,21,3.,22
RLOAD1,21,12,.01,90.,13,14
RLOAD2,22,12,,,15,16
TLOAD1,21,12,.1,LOAD,13,1.,0.
TLOAD2,22,12,,0,0.,1.,2.,30.
,1.,1.
LSEQ,4,12,31
SLOAD,31,3,2.
DAREA,12,2,1,2.
TABLED1,13,LINEAR,LOG
,0.,1.,1.,2.,1.,3.,10.,2.,ENDT
TABLED2,14,1.
,0.,1.,10.,2.,SKIP,3.,20.,2.
,ENDT
TABLED3,15,1.,2.
,0.,1.,10.,2.,ENDT
TABLED4,16,0.,1.,0.,10.
,1.,2.,3.,ENDT
TABDMP1,6,G
,0.,.01,100.,.01,ENDT
FREQ,7,1.,2.,3.,THRU
FREQ2,7,1.,20.,5
FREQ3,7,1.,50.,LOG,5,.5
FREQ5,7,1.,50.,.9,1.,1.1
TSTEP,8,10,.01,2
,,5,.02,1
TIC,3,3,0,.1,.2,2,1,.3
DELAY,31,2,1,.01
DPHASE,32,2,1,30.
RANDPS,11,1,1,1.,0.,33
RANDT1,11,4,0.,.4
TABRND1,33,LOG,LOG
,1.,.1,100.,.1,ENDT
TABRNDG,34,1,.2,6.
RVDOF,2,1,3,0
RVDOF1,1,2
PELAST,9,13
PDAMPT,9,13
PBUSHT,9,K,13,13
EPOINT,77
TF,4,77,0,1.,2.,0.
,2,1,3.,0.,0.
EIGC,9,CLAN,MAX,,,,3
ENDDATA
""",
    """SOL 103
CEND
METHOD = 1
BEGIN BULK
EIGRL,1,,,3
GRID,101,,0.,0.,0.
GRID,102,,1.,0.,0.
GRID,201,,5.,0.,0.
GRID,202,,6.,0.,0.
CELAS2,9,1.+4,101,1,201,1
CSUPER,2,1,201,202
SEBULK,1,PRIMARY
SEBULK,3,EXTERNAL
EXTRN,201,123456,202,123
SECONCT,3,0,.1
,1,THRU,2,101,THRU,102
BEGIN SUPER=1
GRID,1,,0.,0.,0.
GRID,2,,1.,0.,0.
GRID,3,,.5,0.,0.
CROD,1,1,1,3
CROD,2,1,3,2
PROD,1,1,.01,.001
MAT1,1,7.+10,,.3,2700.
BEGIN SUPER=3
GRID,1,,0.,0.,0.
GRID,2,,1.,0.,0.
SPOINT,11
DMIG,KAAX,0,6,1,0
DMIG,KAAX,1,1,,1,1,1.+5
,2,1,-1.+5
DMIG,KAAX,2,1,,2,1,1.+5
DMIG,MAAX,0,6,1,0
DMIG,MAAX,11,0,,11,0,1.
DMIG,BAAX,0,6,1,0
DMIG,BAAX,11,0,,11,0,.1
ENDDATA
""",
]
