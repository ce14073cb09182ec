"""Facilities: power of the site, energy, water and greenhouse gases of a machine over its use; cost of ownership.

``facility`` itself knows no money. What it costs is in ``facility.in_euros`` or ``facility.in_dollars``, one of them:
no rate of exchange is known, and units of money are not converted. Prices are given by the study, or read from a
price list of the user by ``facility.euro_prices`` or ``facility.dollar_prices``; there are no default prices.
``facility.embodied`` gives the greenhouse gases of making a node, by its class.

============================================= =========================================================================
Quantity                                      What it is
============================================= =========================================================================
``site_power``                                PUE times ``machine_power``
``yearly_energy``, ``use_energy``             of the site, at a `utilisation`, in a year and over ``use_time``
``carbon``                                    of the electricity and of making the machine
``water_use``                                 by the water usage effectiveness
``cost_of_ownership``                         purchase, electricity and staff
============================================= =========================================================================
"""

from dse.authoring.declare.declaration import declarations
from dse.models.facility import energy, greenhouse_gases, inputs

__all__: list[str] = []

globals().update(declarations(inputs, energy, greenhouse_gases))
