"""States and provinces that people write behind a city's name: by country and GeoNames' code, the name and its abbreviation."""

from collections import defaultdict

from cities import City, folded

STATES = {
    "US": {
        code: (name, code) for code, name in {
            "AL": "Alabama", "AK": "Alaska", "AZ": "Arizona", "AR": "Arkansas", "CA": "California", "CO": "Colorado",
            "CT": "Connecticut", "DC": "District of Columbia", "DE": "Delaware", "FL": "Florida", "GA": "Georgia", "HI": "Hawaii",
            "IA": "Iowa", "ID": "Idaho", "IL": "Illinois", "IN": "Indiana", "KS": "Kansas", "KY": "Kentucky", "LA": "Louisiana",
            "MA": "Massachusetts", "MD": "Maryland", "ME": "Maine", "MI": "Michigan", "MN": "Minnesota", "MO": "Missouri",
            "MS": "Mississippi", "MT": "Montana", "NC": "North Carolina", "ND": "North Dakota", "NE": "Nebraska",
            "NH": "New Hampshire", "NJ": "New Jersey", "NM": "New Mexico", "NV": "Nevada", "NY": "New York", "OH": "Ohio",
            "OK": "Oklahoma", "OR": "Oregon", "PA": "Pennsylvania", "RI": "Rhode Island", "SC": "South Carolina",
            "SD": "South Dakota", "TN": "Tennessee", "TX": "Texas", "UT": "Utah", "VA": "Virginia", "VT": "Vermont",
            "WA": "Washington", "WI": "Wisconsin", "WV": "West Virginia", "WY": "Wyoming",
        }.items()
    },
    "CA": {
        "01": ("Alberta", "AB"), "02": ("British Columbia", "BC"), "03": ("Manitoba", "MB"), "04": ("New Brunswick", "NB"),
        "05": ("Newfoundland and Labrador", "NL"), "07": ("Nova Scotia", "NS"), "08": ("Ontario", "ON"),
        "09": ("Prince Edward Island", "PE"), "10": ("Quebec", "QC"), "11": ("Saskatchewan", "SK"), "12": ("Yukon", "YT"),
        "13": ("Northwest Territories", "NT"), "14": ("Nunavut", "NU"),
    },
    "AU": {
        "01": ("Australian Capital Territory", "ACT"), "02": ("New South Wales", "NSW"), "03": ("Northern Territory", "NT"),
        "04": ("Queensland", "QLD"), "05": ("South Australia", "SA"), "06": ("Tasmania", "TAS"), "07": ("Victoria", "VIC"),
        "08": ("Western Australia", "WA"),
    },
    "GB": {"ENG": ("England", ""), "NIR": ("Northern Ireland", ""), "SCT": ("Scotland", ""), "WLS": ("Wales", "")},
}

# A city of the same name with at least one person for so many of the larger one makes both ambiguous.
SHARE = 10


def states(cities: list[City]) -> tuple[list[tuple[str, str, str]], list[tuple[int, bool] | None]]:
    """The states as (country, name, abbreviation), and per city the index of its own and whether its name alone may mean another
    city; None for a city of another country."""
    rows = [(country, *names) for country, entries in STATES.items() for names in entries.values()]
    places = {
        (country, code): index
        for index, (country, code) in enumerate((country, code) for country, entries in STATES.items() for code in entries)
    }
    by_name = defaultdict(list)
    for city in cities:
        by_name[folded(city.name)].append(city.population)
    result = []
    for city in cities:
        if city.code not in STATES:
            result.append(None)
            continue
        index = places.get((city.code, city.state), -1)
        others = list(by_name[folded(city.name)])
        others.remove(city.population)
        result.append((index, any(other * SHARE >= city.population for other in others)))
    return rows, result
