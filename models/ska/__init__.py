"""The two processing levels of the SKA1-Low telescope modelled by Anghel 2017, chapter 7.1: stations and correlator."""
