"""The list of countries and territories: names of today, codes, and the areas that belong to each."""

import math
from dataclasses import dataclass, field

import disputed
import geometry
import rdata

# What has another name now than in Natural Earth's file of 2017, or is known by a shorter one.
NAMES = {
    "Aland Islands": "Åland Islands",
    "Brunei Darussalam": "Brunei",
    "Cape Verde": "Cabo Verde",
    "Czech Republic": "Czechia",
    "Dem. Rep. Korea": "North Korea",
    "Democratic Republic of the Congo": "DR Congo",
    "Faeroe Islands": "Faroe Islands",
    "Federated States of Micronesia": "Micronesia",
    "Heard I. and McDonald Islands": "Heard Island and McDonald Islands",
    "Lao PDR": "Laos",
    "Macao": "Macau",
    "Macedonia": "North Macedonia",
    "Reunion": "Réunion",
    "Republic of Congo": "Congo",
    "Republic of Korea": "South Korea",
    "Russian Federation": "Russia",
    "Saint-Barthélemy": "Saint Barthélemy",
    "Saint-Martin": "Saint Martin",
    "Swaziland": "Eswatini",
    "Svalbard Islands": "Svalbard and Jan Mayen",
    "Jan Mayen Island": "Svalbard and Jan Mayen",
    "São Tomé and Principe": "São Tomé and Príncipe",
    "The Gambia": "Gambia",
    "Turkey": "Türkiye",
    "United States Virgin Islands": "US Virgin Islands",
    "Wallis and Futuna Islands": "Wallis and Futuna",
}

# Codes that the file leaves out. XK is in general use for Kosovo, though not of ISO's list.
CODES = {"Kosovo": "XK", "Svalbard and Jan Mayen": "SJ"}

# Territories with a code of their own, which the file of countries counts to their state; taken from the file of map units.
TERRITORIES = {
    "Caribbean Netherlands", "Christmas Island", "Cocos Islands", "French Guiana", "Guadeloupe", "Jan Mayen Island", "Martinique",
    "Mayotte", "Reunion", "Svalbard Islands", "Tokelau",
}


@dataclass
class Country:
    name: str
    code: str | None
    is_disputed: bool
    rings: list = field(default_factory=list)
    """Rings of degrees, closed."""
    label: tuple | None = None
    """x, y, width, height in units."""
    rank: int = 255

    @property
    def area(self) -> float:
        return sum(geometry.sphere_area(ring) for ring in self.rings)


def read(database: rdata.Database, names_by_code: dict[str, str]) -> list[Country]:
    """All countries with areas, and after them those that only GeoNames lists, each group by name.

    `names_by_code` are the codes that GeoNames' cities use, with names for those that have no area."""
    territories = {}
    for attributes, rings in rdata.features(database, "map_units50"):
        if attributes["name_long"] in TERRITORIES:
            territories |= {_key(ring): attributes for ring in rings}
    countries = {}
    for attributes, rings in rdata.features(database, "countries50"):
        for ring in rings:
            _country(countries, territories.pop(_key(ring), attributes)).rings.append(ring)
    if territories:
        raise SystemExit("a territory's ring is not among the countries' rings")
    _part_crimea(countries)
    _complete_western_sahara(countries)
    known = {country.code for country in countries.values()}
    for code, name in names_by_code.items():
        if code not in known:
            countries[name] = Country(name, code, False)
    return sorted(countries.values(), key=lambda country: (not country.rings, country.name))


def _country(countries, attributes) -> Country:
    name = NAMES.get(attributes["name_long"], attributes["name_long"])
    if name not in countries:
        countries[name] = Country(name, CODES.get(name, attributes["iso_a2"]), attributes["note_brk"] is not None)
    return countries[name]


def _key(ring):
    """The same for the same ring in two files, wherever it begins and whatever its last digits are."""
    ends = min(ring) + max(ring)
    return len(ring), tuple(round(number, 4) for number in ends)


def _part_crimea(countries):
    ukraine = countries["Ukraine"]
    largest = max(ukraine.rings, key=geometry.sphere_area)
    mainland, peninsula = disputed.parted(largest, disputed.CRIMEA_WEST, disputed.CRIMEA_EAST, disputed.CRIMEA_NECK)
    ukraine.rings[ukraine.rings.index(largest)] = mainland
    countries["Crimea"] = Country("Crimea", None, True, [peninsula])


def _complete_western_sahara(countries):
    morocco, sahara = countries["Morocco"], countries["Western Sahara"]
    largest = max(morocco.rings, key=geometry.sphere_area)
    north, south = disputed.parted(largest, disputed.SAHARA_WEST, disputed.SAHARA_EAST)
    morocco.rings[morocco.rings.index(largest)] = north
    sahara.rings = [disputed.joined(south, *sahara.rings)]


def coarse(ring):
    """A large ring with fewer vertices, for what a few kilometres do not matter to."""
    return geometry.simplify(ring + ring[:1], 4)[:-1] if len(ring) > 100 else ring


def place_labels(countries: list[Country]):
    """Finds where each name may stand, and ranks the names by area: 0 is the largest country."""
    largest = max(country.area for country in countries)
    for country in countries:
        if not country.rings:
            continue
        outer = max(country.rings, key=geometry.sphere_area)
        ring = geometry.quantized_ring(outer)
        if len(ring) < 3:
            continue
        holes = [hole for hole in map(geometry.quantized_ring, country.rings) if hole != ring and len(hole) > 2]
        inside = [hole for hole in holes if geometry.contains([ring], *hole[0])]
        x, y = geometry.label_place([coarse(ring) for ring in [ring] + inside])
        west, north, east, south = geometry.bounds(ring)
        country.label = (x, y, east - west, south - north)
        # Twelve steps of rank for each halving of the area.
        country.rank = min(255, round(12 * math.log2(largest / country.area)))
