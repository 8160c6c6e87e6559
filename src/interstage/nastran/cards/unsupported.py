"""Cards that are not supported: ignored, refused where the model uses them, or refused.

Any other name is refused as well, as one that is not known. Names follow the Quick Reference Guides of the NASTRAN
family (MSC, NX/Simcenter, NASTRAN-95).
"""

from __future__ import annotations

from interstage.nastran.cards.spec import CardSpec, alike

_SHELLS = ("CQUAD4", "CTRIA3", "CQUADR", "CTRIAR", "CQUAD8", "CTRIA6")
_SOLIDS = ("CHEXA", "CPENTA", "CTETRA", "CPYRAM")
_FLUID = (
    "is about a fluid: fluid elements, absorbers and their coupling to the structure are not supported",
    "remove the fluid, or add its mass to the structure (CONM2, NSM)",
)
_AXISYMMETRIC = (
    "is not supported: of axisymmetric elements CTRIAX6 alone is made",
    "use CTRIAX6, or model the body in three dimensions",
)

CARDS = [
    # Static loads that are refused when a load set that holds them is used.
    *alike(
        """
    ACCEL ACCEL1 BOLTFOR BOLTFRC CLOAD DEFORM FORCEAX FORCEST LOADCYH LOADCYN LOADCYT MOMAX PLOAD3 PLOADB3
    PLOADC PLOADE1 PRESAX PRESPT RFORCE1 RFORCE2 TEMPAX TEMPB3 TEMPEX TEMPF TEMPP2 TEMPP3
        """,
        "load",
        status="ignored",
    ),
    # Superelement partitions: the structure is the same, only its reduction is cut differently.
    *alike(
        """
    DYNRED SEBSET SEBSET1 SECSET SECSET1 SEELT SELABEL SENQSET SEQSET SEQSET1 SESET SESUP SETREE SEUSET SEUSET1
        """,
        "partition",
        status="ignored",
    ),
    # Materials: without effect unless a property that is used refers to them.
    *alike(
        """
    MAT10 MAT10C MAT11 MAT3D MATCRP MATCZ MATEV MATG MATHE MATHED MATHEM MATHP MATHP1 MATM MATPE1 MATPOR MATRIG
    MATTC MATTG MATTHP MATUDS MATUSR MATVEN
        """,
        "material",
        status="ignored",
    ),
    # Cards of other solutions, and of output.
    *alike(
        """
    ACLOAD ACPLNW ACSRCE ACTRIM ALOAD CAMPBLL CRSPEC DDVAL DIAGRID DTI DTI1 DYPARAM EIGP FBADLAY FBALOAD FBODYLD
    FBODYSB FREQV FRFCOMP FRFCONN FRFFLEX FRFRELS FRFSPC1 FRFXIT FRFXIT1 INRELIE MODTRAK NLFREQ NLFREQ1 NLHARM
    NLRGAP NLRSFD NLRSFD1 NOLIN1 NOLIN2 NOLIN3 NOLIN4 RADSET RANDVAR RCROSS RGYRO ROTORAX ROTORD ROTORG ROTORSE
    RSPINR RSPINT RVEL SPCR TABL3D TABLE3D TABLED5 TABLED6 TABLEG TABLEH1 TABLEHT TABLEM1 TABLEM2 TABLEM3
    TABLEM4 TABLES1 TABLES2 TABLEST TABLFTG TABLRPC TICD TLOAD3 TSTEP1 TSTEPNL TTEMP UNBALNC
        """,
        "dynamics",
        status="ignored",
    ),
    *alike(
        """
    ACOORD AECOMP AECOMPL AEDW AEFACT AEFORCE AEGRID AELINK AELIST AELISTC AEPARM AEPRESS AEQUAD4 AERO AEROS
    AEROZ AESCALE AESTAT AESURF AESURFS AETRIA3 BODY7 CAERO1 CAERO2 CAERO3 CAERO4 CAERO5 CAERO7 CSSCHD CSSCHDP
    CSSCHDT DIVERG DMI DMIJ DMIJI DMIK FLFACT FLUTTER FLUTTR2 GUST GUST2 MKAERO1 MKAERO2 MKAEROZ MONCNCM MONDSP1
    MONGRP MONPNT1 MONPNT2 MONPNT3 MONSUM MONSUM1 MONSUMT PAERO1 PAERO2 PAERO3 PAERO4 PAERO5 PAERO7 SEGMESH SET1
    SET2 SET3 SET4 SHOCKHM SPBLND1 SPBLND2 SPLINE1 SPLINE2 SPLINE3 SPLINE4 SPLINE5 SPLINE6 SPLINE7 SPLINEX
    SPLINRB SPRELAX TRIM TRIM2 UXVEC
        """,
        "aeroelasticity",
        status="ignored",
    ),
    *alike(
        """
    AMLREG BEADVAR BNDGRID DCONADD DCONSTR DEQATN DESCYC DESVAR DLINK DMNCON DOPTPRM DRESP1 DRESP2 DRESP3 DSCONS
    DSCREEN DTABLE DTABLE2 DVAR DVBSHAP DVCREL1 DVCREL2 DVEREL1 DVGEOM DVGRID DVMREL1 DVMREL2 DVPREL1 DVPREL2
    DVPSURF DVSET DVSHAP DVTREL1 MATF MATFTG MODSEL STOCHAS TOMVAR TOPVAR
        """,
        "optimization",
        status="ignored",
    ),
    *alike(
        """
    CHBDY CHBDYE CHBDYG CHBDYP CONV CONV3 CONVM INITTEMP MAT4 MAT5 MATT4 MATT5 PCONV PCONV1 PCONVM PHBDY QBDY1
    QBDY2 QBDY3 QBDY4 QHBDY QSET2 QVECT QVOL RADBC RADBND RADC RADCAV RADCOL RADCT RADLST RADM RADMT RADMTX
    SPCHT TEMPBC TEMPIC TEMPN1 VIEW VIEW3D VIEWEX
        """,
        "heat",
        status="ignored",
    ),
    *alike(
        """
    CBARAO CONEVT DCOMP DEBUG DGLOBAL DLMSTYL DOBJREF DREPORT DSHAPE DSIZE DTPG DTPL ECHOOFF ECHOON ELIST ERPPNL
    FTGDEF FTGEVNT FTGLOAD FTGPARM FTGSEQ GROUP HADACRI HADAMSL HADMESH HISTOUT IPSTRAIN ISTRESS MARCIN MARCOUT
    MARPRN MESUPER MICPNT MONITOR NLMON OUTPUT OUTPUT2 OUTRCV PANEL PARVEC PARVEC1 PCOMPFQ PLOTEL PLOTEL3
    PLOTEL4 PLOTEL6 PLOTEL8 PLOTHEX PLOTPEN PLOTPYR PLOTTET PMIC POINT SEQGP SURFINI SWLDPRM TABFTG TSTEPS
    UDNAME VCCT XHIST
        """,
        "output",
        status="ignored",
    ),
    *alike(
        """
    BCMATL BCONUDS BCPARA BCPROP BCPROPS BCRPARA BCTPAR2 BCTPARA BCTPARM BEDGE BFRIC BGPARM BLSEG BOUTPUT BRKSQL
    BSQUEAL BSURF BSURFS CREEP CRPPRM ITER MATDMG MATEP MATS1 MATS3 MATS8 MATSMA MATSORT MATSR MATT1 MATT11
    MATT2 MATT3 MATT8 MATT9 MATTEP MATTHE MATTM MATTVE MATTVP MATVE MATVP MBOLTUS NLADAPT NLAUTO NLCNTL NLCNTL2
    NLCNTLG NLDAMP NLHEATC NLOUT NLPARM NLPARMA NLPCI NLSTEP NXSTRAT PBARN1 PBEMN1 PRODN1 PSHEARN PSHLN1 PSHLN2
    PSLDN1 PTUBEN TMPSET
        """,
        "nonlinear",
        status="ignored",
    ),
    # Properties, with the supported elements that could refer to them.
    *alike(
        "PBRSECT",
        "property",
        status="refused if used",
        users=("CBAR",),
    ),
    *alike(
        "PBMSECT",
        "property",
        status="refused if used",
        users=("CBEAM", "CBEAM3"),
    ),
    *alike(
        "PCOMPF PISHELL PLPLANE PPLANE PSHLPAR",
        "property",
        status="refused if used",
        users=_SHELLS,
    ),
    *alike(
        "PCOHE PCOMPLS PIHEX PLCOMP PLSOLID PSOLCZ",
        "property",
        status="refused if used",
        users=_SOLIDS,
    ),
    *alike(
        """
    PAABSF PACABS PACBAR PACINF PBEAR PBUSH2D PCONEAX PDAMP5 PGPLSN PLBLADE PQDMEM PQDMEM1 PQDMEM2 PQDPLT PQUAD1
    PQUAD2 PRAC2D PRAC3D PROD3 PSEAM PTORDRG PTRBSC PTRIA1 PTRIA2 PTRMEM PTRPLT PTRPLT1 PTRSHL PTWIST PWSEAM
        """,
        "property",
        status="refused if used",
    ),
    # What works only if case control selects its set.
    CardSpec(
        "MFLUID",
        "fluid",
        status="refused if selected",
        selected_by="MFLUID",
        refusal=(
            "is not supported: the virtual mass of a fluid on wetted elements is not computed",
            "add the mass that moves along (NSM, CONM2)",
        ),
    ),
    *alike("BGADD BGSET", "contact", status="refused if selected", selected_by="BGSET"),
    *alike("BCTADD BCTSET", "contact", status="refused if selected", selected_by="BCSET"),
    *alike("BOLT BOLTLD BOLTSEQ", "bolt preload", status="refused if selected", selected_by="BOLTLD"),
    *alike(
        "BCBDPRP BCBODY BCBODY1 BCONECT BCONPRG BCONPRP BCRIGID BCTABL1 BCTABLE",
        "contact",
        status="refused if selected",
        selected_by="BCONTACT",
    ),
    *alike("MASSSET", "mass case", status="refused if selected", selected_by="MASSSET"),
    # What may change the structure.
    *alike(
        """
    ACMODL AXIF AXSLOT CAABSF CACINF3 CACINF4 CAXIF2 CAXIF3 CAXIF4 CFLUID2 CFLUID3 CFLUID4 CHACAB CHACBR CSLOT3
    CSLOT4 FLSYM FREEPT FSLIST GRIDB GRIDF GRIDS RINGFL SLBDY
        """,
        "fluid",
        status="refused",
        refusal=_FLUID,
    ),
    CardSpec(
        "CSEAM",
        "model",
        status="refused",
        refusal=(
            "is not supported: seams that are projected onto plates are not made",
            "use CWELD or CFAST at points along the seam",
        ),
    ),
    *alike(
        "CCONEAX CQUADX CQUADX4 CQUADX8 CTRAPRG CTRAX3 CTRAX6 CTRIARG CTRIAX",
        "model",
        status="refused",
        refusal=_AXISYMMETRIC,
    ),
    CardSpec(
        "RELEASE",
        "model",
        status="refused",
        refusal=(
            "is not supported: it cuts components of a superelement from its neighbours",
            "give the superelement grids of its own there, and join the other components by MPC or RBAR",
        ),
    ),
    CardSpec(
        "SELOAD",
        "model",
        status="refused",
        refusal=(
            "is not supported: loads of a part are those of its own section",
            "put the loads into the section of the part",
        ),
    ),
    *alike(
        """
    ACMODAL AXIC BARRIER BCONP CBEAR CBUSH2D CDAMP5 CELAS5 CGEN CHEXA1 CHEXA2 CHEXAL CHEXCZ CIFHEX CIFPENT
    CIFQDX CIFQUAD CIHEX1 CIHEX2 CIHEX3 CMFREE CNGRET COHESIV CORD1RX CORD2RX CORD3G CORD3R CPENTCZ CPLSTN3
    CPLSTN4 CPLSTN6 CPLSTN8 CPLSTS3 CPLSTS4 CPLSTS6 CPLSTS8 CQDMEM CQDMEM1 CQDMEM2 CQDPLT CQUAD CQUAD1 CQUAD2
    CRAC2D CRAC3D CRBE1 CRBE3 CROD3 CSUPEXT CSUPUP CTETRA1 CTORDRG CTRBSC CTRIA1 CTRIA2 CTRMEM CTRPLT CTRPLT1
    CTRSHL CTWIST CWEDGE CWSEAM CYAX CYJOIN CYJOINT CYSUP CYSYM DMIAX DYCHANG EIGRL2 EQUIV EXTINR EXTMODE FEEDGE
    FEFACE GMBC GMBNDC GMBNDS GMCONV GMCORD GMCURV GMINTC GMINTS GMLOAD GMQVOL GMSPC GMSURF GRIDA GRIDG GRIDX
    INCLUDE JOINTG MATCID MPCAX MPCREEP MPCY OMITAX PELAS1 PINTC PINTS POINTAX PRESTRS PSET PVAL RBAR1 RBAX3D
    RBE2A RBE2D RBE2F RBE2GS RBE3D RBE3U RBJOINT RBJSTIF RCONN RCPARM RFREE RIGD1 RIGD2 RIGD3 RIGDR RINGAX
    RLOADEX RSPLINE RTRPLT1 SEDLINK SEDRSP2 SEDRSP3 SEQSEP SPCAX SPCD1 SPCNR SPCOFF SPCOFF1 SPRBCK SUPAX SUPORT6
    TEMPST TIRE1 TIREBOX VISC WALL
        """,
        "model",
        status="refused",
    ),
]
