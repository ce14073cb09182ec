"""The works that models cite: each stands here once, and its short text begins every ``source=`` that quotes it.

``f"{ANGHEL_2017}, Table 7.3"`` is "Anghel 2017, Table 7.3". What the project does not know of a work is left empty.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "ALEXANDROV_1995",
    "ANGHEL_2017",
    "ARCHER2_EMISSIONS",
    "BLUE_WATERS_2014",
    "BYTEROBUST_2025",
    "CHIEN_2023",
    "COSMIC_2025",
    "DALY_2006",
    "DAO_2023",
    "DE_PESTEL_2017",
    "EXABOUNDS",
    "EXABOUNDS_MANUAL",
    "FLYNN_1995",
    "GRAPH_500_CODE",
    "GVR_2013",
    "HENNESSY_2019",
    "HERMANNS_2012",
    "HOEFLER_2014",
    "HPL",
    "IBM_2014",
    "JONGERIUS_2018",
    "KORTHIKANTI_2022",
    "LIU_2023",
    "LLAMA_2024",
    "LUCCIONI_2023",
    "MATSUOKA_2014",
    "MILLER_1955",
    "NARAYANAN_2021",
    "PATTERSON_5TH",
    "PATTERSON_2021",
    "PODDAR_2017",
    "RAJBHANDARI_2020",
    "RAMAPANTULU_2015",
    "ROSAS_2014",
    "SAKURAI_1990",
    "SCHROEDER_2006",
    "SHOUKOURIAN_2014",
    "SHUDLER_2019",
    "SON_2014",
    "STAPPER_1983",
    "STEEN_2015",
    "STEEN_2016",
    "STERLING_2014",
    "STILLMAKER_2017",
    "WORKS",
    "XU_2010",
    "YOUNG_1974",
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
SHOUKOURIAN_2014 = Work(
    "Shoukourian et al. 2014",
    "Shoukourian, Wilde, Auweter, Bode",
    "Predicting the Energy and Power Consumption of Strong and Weak Scaling HPC Applications",
    2014,
    "Supercomputing Frontiers and Innovations 1(2)",
)
SON_2014 = Work(
    "Son et al. 2014",
    "Son, Chen, Hendrix, Agrawal, Liao, Choudhary",
    "Data Compression for the Exascale Computing Era - Survey",
    2014,
    "Supercomputing Frontiers and Innovations 1(2)",
)
MATSUOKA_2014 = Work(
    "Matsuoka et al. 2014",
    "Matsuoka et al.",
    "Extreme Big Data (EBD): Next Generation Big Data Infrastructure Technologies Towards Yottabyte/Year",
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

YOUNG_1974 = Work(
    "Young 1974",
    "Young",
    "A first order approximation to the optimum checkpoint interval",
    1974,
    "Communications of the ACM 17(9)",
)
DALY_2006 = Work(
    "Daly 2006",
    "Daly",
    "A higher order estimate of the optimum checkpoint interval for restart dumps",
    2006,
    "Future Generation Computer Systems 22(3)",
)
LLAMA_2024 = Work("Llama 3, Meta 2024", "Meta", "The Llama 3 Herd of Models", 2024)
NARAYANAN_2021 = Work(
    "Narayanan et al. 2021",
    "Narayanan, Shoeybi, Casper, et al.",
    "Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM",
    2021,
    "SC21",
)
KORTHIKANTI_2022 = Work(
    "Korthikanti et al. 2022",
    "Korthikanti, Casper, Lym, et al.",
    "Reducing Activation Recomputation in Large Transformer Models",
    2022,
    "arXiv 2205.05198",
)
RAJBHANDARI_2020 = Work(
    "Rajbhandari et al. 2020",
    "Rajbhandari, Rasley, Ruwase, He",
    "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models",
    2020,
    "SC20",
)
DAO_2023 = Work(
    "Dao 2023", "Dao", "FlashAttention-2: Faster Attention with Better Parallelism and Work Partitioning", 2023
)
LIU_2023 = Work("Liu et al. 2023", "Liu, Zaharia, Abbeel", "Ring Attention with Blockwise Transformers", 2023)
COSMIC_2025 = Work(
    "COSMIC 2025",
    title="COSMIC: Enabling Full-Stack Co-Design and Optimization of Distributed Machine Learning Systems",
    year=2025,
    venue="arXiv 2505.15020",
)
BYTEROBUST_2025 = Work("ByteRobust, ByteDance 2025", "ByteDance", year=2025, venue="arXiv 2509.16293")
BLUE_WATERS_2014 = Work("Di Martino et al. 2014", "Di Martino et al.", year=2014, venue="DSN")
SCHROEDER_2006 = Work("Schroeder and Gibson 2006", "Schroeder, Gibson", year=2006, venue="DSN")
IBM_2014 = Work("IBM, ASP-DAC 2014", "IBM", year=2014, venue="ASP-DAC")
GVR_2013 = Work("GVR project, Argonne 2013", "Argonne", year=2013, venue="hand-out of the project")

LUCCIONI_2023 = Work(
    "Luccioni et al. 2023",
    "Luccioni, Viguier, Ligozat",
    "Estimating the Carbon Footprint of BLOOM, a 176B Parameter Language Model",
    2023,
    "Journal of Machine Learning Research 24(253)",
)
PATTERSON_2021 = Work(
    "Patterson et al. 2021",
    "Patterson et al.",
    "Carbon Emissions and Large Neural Network Training",
    2021,
    "arXiv 2104.10350",
)
CHIEN_2023 = Work(
    "Chien et al. 2023",
    "Chien et al.",
    "Reducing the Carbon Impact of Generative AI Inference (today and in 2035)",
    2023,
    "HotCarbon",
)
ARCHER2_EMISSIONS = Work(
    "ARCHER2 emissions tools", "ARCHER2 service", "Emission estimates methodologies", venue="read-me of the program"
)

ROSAS_2014 = Work(
    "Rosas et al. 2014",
    "Rosas, Gimenez, Labarta",
    "Scalability prediction for fundamental performance factors",
    2014,
    "Supercomputing Frontiers and Innovations 1(2)",
)
WILLIAMS_2009 = Work(
    "Williams et al. 2009",
    "Williams, Waterman, Patterson",
    "Roofline: an insightful visual performance model for multicore architectures",
    2009,
    "Communications of the ACM 52(4)",
)
HERMANNS_2012 = Work("Hermanns et al. 2012", "Hermanns, Krishnamoorthy, Wolf", year=2012)

EXABOUNDS = Work("IBM ExaBounds (2017)", title="IBM ExaBounds", year=2017, venue="program")
EXABOUNDS_MANUAL = Work("IBM ExaBounds manual (2017)", title="IBM ExaBounds manual", year=2017, venue="manual")
GRAPH_500_CODE = Work(
    "Graph 500 reference code, version 2", title="Graph 500 reference code, version 2", venue="program"
)
HPL = Work("netlib, HPL", title="HPL", venue="program")

WORKS = {work.short: work for work in list(globals().values()) if isinstance(work, Work)}
"""Every work by its short text."""
