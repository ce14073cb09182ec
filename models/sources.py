"""The works that models cite: each stands here once, and its short text begins every ``source=`` that quotes it.

``f"{ANGHEL_2017}, Table 7.3"`` is "Anghel 2017, Table 7.3". What the project does not know of a work is left empty.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "ALEXANDROV_1995",
    "ANGHEL_2017",
    "DE_PESTEL_2017",
    "EXABOUNDS",
    "EXABOUNDS_MANUAL",
    "FLYNN_1995",
    "GRAPH_500_CODE",
    "HENNESSY_2019",
    "HOEFLER_2014",
    "HPL",
    "JONGERIUS_2018",
    "MILLER_1955",
    "PATTERSON_5TH",
    "PODDAR_2017",
    "RAMAPANTULU_2015",
    "SAKURAI_1990",
    "SHUDLER_2019",
    "STAPPER_1983",
    "STEEN_2015",
    "STEEN_2016",
    "STERLING_2014",
    "STILLMAKER_2017",
    "WORKS",
    "XU_2010",
    "Work",
]


@dataclass(frozen=True)
class Work:
    """A paper, book, thesis or program that is quoted.

    Attributes
    ----------
    short : str
        How sources name it: "Anghel 2017".
    authors, title, venue : str
        As far as they are known here; venue is the journal, the publisher's edition, or what kind of work it is.
    year : int, optional
    """

    short: str
    authors: str = ""
    title: str = ""
    year: int | None = None
    venue: str = ""

    def __str__(self) -> str:
        return self.short


ANGHEL_2017 = Work(
    "Anghel 2017",
    "Anghel",
    "On Large-Scale System Performance Analysis and Software Characterization",
    2017,
    "thesis",
)
RAMAPANTULU_2015 = Work(
    "Ramapantulu et al. 2015",
    "Ramapantulu, Loghin, Teo",
    "An Approach for Energy Efficient Execution of Hybrid Parallel Programs",
    2015,
)
JONGERIUS_2018 = Work("Jongerius et al. 2018", "Jongerius et al.", year=2018)
STEEN_2015 = Work("Van den Steen et al. 2015", "Van den Steen et al.", year=2015)
STEEN_2016 = Work("Van den Steen et al. 2016", "Van den Steen et al.", year=2016)
XU_2010 = Work("Xu et al. 2010", "Xu et al.", year=2010)

DE_PESTEL_2017 = Work(
    "De Pestel, Eyerman, Eeckhout 2017",
    "De Pestel, Eyerman, Eeckhout",
    "Linear Branch Entropy: Characterizing and Optimizing Branch Behavior in a Micro-Architecture Independent Way",
    2017,
    "IEEE Transactions on Computers 66(3)",
)
MILLER_1955 = Work("Miller and Madow 1955", "Miller, Madow", year=1955)
SHUDLER_2019 = Work("Shudler et al. 2019", "Shudler et al.", year=2019)
HOEFLER_2014 = Work(
    "Hoefler and Moor 2014",
    "Hoefler, Moor",
    "Energy, Memory, and Runtime Tradeoffs for Implementing Collective Communication Operations",
    2014,
    "Supercomputing Frontiers and Innovations 1(2)",
)
ALEXANDROV_1995 = Work("Alexandrov et al. 1995", "Alexandrov et al.", year=1995)

PODDAR_2017 = Work("Poddar et al. 2017", "Poddar et al.", year=2017)
SAKURAI_1990 = Work(
    "Sakurai and Newton 1990",
    "Sakurai, Newton",
    "Alpha-power law MOSFET model and its applications to CMOS inverter delay",
    1990,
    "IEEE Journal of Solid-State Circuits 25(2)",
)
STILLMAKER_2017 = Work(
    "Stillmaker and Baas 2017",
    "Stillmaker, Baas",
    "Scaling equations for the accurate prediction of CMOS device performance from 180 nm to 7 nm",
    2017,
    "Integration 58",
)
STERLING_2014 = Work(
    "Sterling et al. 2014",
    "Sterling, Kogler, Anderson, Brodowicz",
    "SLOWER: A performance model for Exascale computing",
    2014,
    "Supercomputing Frontiers and Innovations 1(2)",
)
STAPPER_1983 = Work("Stapper 1983", "Stapper", year=1983)
HENNESSY_2019 = Work(
    "Hennessy and Patterson 2019",
    "Hennessy, Patterson",
    "Computer Architecture: A Quantitative Approach",
    2019,
    "6th edition",
)
PATTERSON_5TH = Work(
    "Patterson and Hennessy, Computer Organization and Design, 5th edition",
    "Patterson, Hennessy",
    "Computer Organization and Design",
    venue="5th edition",
)
FLYNN_1995 = Work("Flynn, Computer Architecture, 1995", "Flynn", "Computer Architecture", 1995)

EXABOUNDS = Work("IBM ExaBounds (2017)", title="IBM ExaBounds", year=2017, venue="program")
EXABOUNDS_MANUAL = Work("IBM ExaBounds manual (2017)", title="IBM ExaBounds manual", year=2017, venue="manual")
GRAPH_500_CODE = Work(
    "Graph 500 reference code, version 2", title="Graph 500 reference code, version 2", venue="program"
)
HPL = Work("netlib, HPL", title="HPL", venue="program")

WORKS = {work.short: work for work in list(globals().values()) if isinstance(work, Work)}
"""Every work by its short text."""
