"""Chooses the cities of GeoNames that the map knows, and the words by which they are found."""

import json
import math
import unicodedata
from collections import defaultdict
from dataclasses import dataclass

import geometry
from exonyms import EXONYMS

# How many of the largest cities are taken in any case, and of each country; besides them the largest of every field of a degree,
# so that thinly settled lands have theirs.
COUNT = 12_000
PER_COUNTRY = 2

# GeoNames' name of a capital, where its list of countries writes it otherwise or not at all.
CAPITALS = {
    "AG": "Saint John's",
    "EH": "Laayoune",
    "GD": "Saint George's",
    "GG": "Saint Peter Port",
    "KZ": "Astana",
    "MN": "Ulan Bator",
    "MO": "Macau",
    "PW": "Ngerulmud",
}

# Quarters that GeoNames gives the people of half a city to, and a doubtful entry: GeoNames' numbers.
LEFT_OUT = {
    99071,  # Al Mawşil al Jadīdah, of Mosul
    388349,  # Al Başrah al Qadīmah, of Basra
    1258393,  # Rasapūdipalem, of Visakhapatnam
    1798524,  # Pudong, of Shanghai
    1802875,  # Guankou, of Liuyang
    2422488,  # Camayenne, of Conakry
    11072148,  # Puxi, of Shanghai
    12747063,  # New Territories, of Hong Kong
    13631665,  # gorod Solnetchnogorsk
}

# Zones that are links to others in the tz database of today.
ZONES = {
    "America/Godthab": "America/Nuuk",
    "Asia/Rangoon": "Asia/Yangon",
    "Europe/Kiev": "Europe/Kyiv",
}

# Letters that have no decomposition into a base letter and an accent.
LETTERS = str.maketrans({
    "æ": "ae", "ð": "d", "đ": "d", "ħ": "h", "ı": "i", "ł": "l", "ø": "o", "œ": "oe", "ß": "ss", "þ": "th", "ə": "e", "ŋ": "n",
})


@dataclass
class City:
    identity: int
    name: str
    longitude: float
    latitude: float
    population: int
    code: str
    zone: str
    is_capital: bool = False
    country: int = -1

    alias: str = ""
    """Other names by which it is found."""

    alternates: tuple[str, ...] = ()
    """What GeoNames calls it besides, in any language."""

    state: str = ""
    """GeoNames' code of the state or province."""

    @property
    def folded(self) -> str:
        return folded(self.name)

    @property
    def searched(self) -> str:
        return folded(f"{self.name} {self.alias}")


def folded(text: str) -> str:
    """Lower case, no accents, words of a-z and 0-9 with one blank between: what is compared in a search.

    `WorldNames.swift` does the same to what is typed; a test compares both for every city."""
    marked = unicodedata.normalize("NFKD", text.lower()).translate(LETTERS)
    letters = []
    for character in marked:
        if character.isascii() and character.isalnum():
            letters.append(character)
        elif unicodedata.combining(character) or character in "'’‘ʼ`ʻ":
            continue
        else:
            letters.append(" ")
    return " ".join("".join(letters).split())


def read(cities: str, countries: str) -> list[City]:
    """All cities of the file with people in it, the largest first, capitals marked."""
    result = [
        City(
            entry["geonameid"], entry["name"], entry["longitude"], entry["latitude"], entry["population"], entry["countrycode"],
            ZONES.get(entry["timezone"], entry["timezone"]), alternates=tuple(entry["alternatenames"]),
            state=entry["admin1code"])
        for entry in json.loads(cities).values() if entry["geonameid"] not in LEFT_OUT
    ]
    result.sort(key=lambda city: (-city.population, city.identity))
    _mark_capitals(result, json.loads(countries))
    _add_aliases(result)
    return result


def country_names(countries: str) -> dict[str, str]:
    return {code: entry["name"].strip() for code, entry in json.loads(countries).items()}


def _mark_capitals(cities: list[City], countries: dict):
    by_code = defaultdict(dict)
    for city in reversed(cities):
        by_code[city.code][city.folded] = city
    missing = []
    for code, entry in countries.items():
        name = CAPITALS.get(code, entry["capital"].strip())
        if not name:
            continue
        city = by_code[code].get(folded(name))
        if city:
            city.is_capital = True
        elif by_code[code]:
            missing.append(f"{code} {name}")
    if missing:
        raise SystemExit(f"capitals that no city is named like: {', '.join(missing)}")


def _add_aliases(cities: list[City]):
    aliases = dict(EXONYMS)
    for city in cities:
        city.alias = aliases.pop((city.code, city.name), "")
    if aliases:
        raise SystemExit(f"no city for the other names of {', '.join(name for _, name in aliases)}")


def choose(cities: list[City]) -> list[City]:
    """The largest, the capitals, and those that are large where they are; the largest first."""
    taken = defaultdict(int)
    chosen = []
    for index, city in enumerate(cities):
        field = math.floor(city.longitude), math.floor(city.latitude)
        is_local = taken[city.code] < PER_COUNTRY or not taken[field]
        if index < COUNT or city.is_capital or (is_local and city.population > 0):
            taken[city.code] += 1
            taken[field] += 1
            chosen.append(city)
    return chosen


def place(city: City) -> tuple[int, int]:
    """Web Mercator in 1/2^24 of the world's width."""
    x, y = geometry.project(city.longitude, city.latitude)
    return min(round(x * 2**24), 2**24 - 1), min(round(y * 2**24), 2**24 - 1)
