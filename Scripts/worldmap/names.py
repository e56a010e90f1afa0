"""Other names that lead to a city when they are typed whole: in the languages of its land, in English, abbreviations."""

import unicodedata

from cities import LETTERS, City

# From this many people on, and for capitals, GeoNames' other names in Latin letters are taken.
LATIN_FROM = 300_000
# From this many on those in the script of the land.
SCRIPT_FROM = 50_000

# What GeoNames does not have, or has among much else, by country and name.
ADDED = {
    ("FI", "Turku"): "Åbo", ("FI", "Tampere"): "Tammerfors", ("FI", "Espoo"): "Esbo", ("FI", "Vantaa"): "Vanda",
    ("FI", "Oulu"): "Uleåborg", ("FI", "Vaasa"): "Vasa", ("FI", "Lahti"): "Lahtis",
    ("US", "New York City"): "New York,NY,Big Apple", ("US", "Los Angeles"): "LA,L.A.",
    ("US", "San Francisco"): "SF,Frisco", ("US", "Washington"): "DC,Washington DC", ("US", "Philadelphia"): "Philly",
    ("US", "Las Vegas"): "Vegas", ("US", "New Orleans"): "NOLA", ("MX", "Mexico City"): "CDMX,DF",
    ("RU", "Saint Petersburg"): "СПб,Питер,Петербург", ("BR", "Rio de Janeiro"): "Rio",
    ("MY", "Kuala Lumpur"): "KL", ("VN", "Ho Chi Minh City"): "HCMC", ("CO", "Bogotá"): "Bogota",
    ("BE", "Gent"): "Gand", ("BE", "Brugge"): "Brügge", ("BE", "Liège"): "Luik,Lüttich", ("BE", "Antwerp"): "Anvers",
    ("PL", "Wrocław"): "Breslau", ("PL", "Gdańsk"): "Danzig", ("PL", "Poznań"): "Posen", ("PL", "Szczecin"): "Stettin",
    ("CZ", "Brno"): "Brünn", ("CZ", "Pilsen"): "Plzeň", ("SK", "Košice"): "Kaschau", ("IT", "Bolzano"): "Bozen",
    ("IT", "Trieste"): "Triest,Trst",
    ("CH", "Biel/Bienne"): "Biel,Bienne", ("DE", "Köln"): "Koeln", ("DE", "Aachen"): "Aix-la-Chapelle",
    ("GB", "Edinburgh"): "Dùn Èideann", ("GB", "Cardiff"): "Caerdydd", ("IE", "Cork"): "Corcaigh",
    ("ES", "A Coruña"): "La Coruña,Corunna", ("ES", "Donostia / San Sebastián"): "Donostia",
    ("NL", "The Hague"): "'s-Gravenhage,La Haye", ("NO", "Trondheim"): "Trondhjem",
}

# The scripts of a land, by the first words of Unicode's names of their letters.
SCRIPTS = {
    "CYRILLIC": "BA BG BY KG KZ ME MK MN RS RU TJ UA UZ", "GREEK": "CY GR", "HEBREW": "IL",
    "ARABIC": "AE AF BH DJ DZ EG EH ER IL IQ IR JO KW LB LY MA MR OM PK PS QA SA SD SO SY TD TN YE",
    "CJK": "CN HK JP MO SG TW", "HIRAGANA": "JP", "KATAKANA": "JP", "HANGUL": "KP KR", "GEORGIAN": "GE", "ARMENIAN": "AM",
}

def folded_in_any_script(text: str) -> str:
    """Like `folded`, with the letters of other scripts: `TextFolding.foldedInAnyScript` finds it as it is."""
    letters = []
    for character in unicodedata.normalize("NFC", text.lower()):
        for base in unicodedata.normalize("NFKD", character).translate(LETTERS):
            if unicodedata.combining(base) or base in "'’‘ʼ`ʻ":
                continue
            letters.append(base if base.isalnum() else " ")
    return " ".join("".join(letters).split())


def _scripts(text: str) -> set[str]:
    return {unicodedata.name(letter, "").split()[0].split("-")[0] for letter in text if letter.isalpha()}


def _added(city: City) -> set[str]:
    return set(ADDED.get((city.code, city.name), "").split(",")) | set(city.alias.split())


def _names(city: City) -> set[str]:
    own = {script for script, lands in SCRIPTS.items() if city.code in lands.split()}
    is_large = city.population >= LATIN_FROM or city.is_capital
    names = set()
    for name in city.alternates:
        scripts = _scripts(name)
        if scripts == {"LATIN"}:
            # Those in lower case are transcriptions of other scripts.
            if is_large and name[0].isupper() and len(name.split()) <= 3 and len(name) <= 24:
                names.add(name)
        elif scripts and scripts <= own and city.population >= SCRIPT_FROM and len(name) <= 16:
            names.add(name)
    return names


def other_names(cities: list[City]) -> list[tuple[bytes, int]]:
    """Folded names with the city that each leads to, by name. Of several cities the largest counts; one that is shown under this very
    name counts before it, unless the name was added here and the other city has ten times as many people."""
    by_name = {}
    called = {}
    for index, city in enumerate(cities):
        called.setdefault(folded_in_any_script(city.name), index)
    unknown = set(ADDED) - {(city.code, city.name) for city in cities}
    if unknown:
        raise SystemExit(f"names of cities that are not there: {sorted(unknown)}")
    for index, city in enumerate(cities):
        added = {folded_in_any_script(name) for name in _added(city)}
        names = {folded_in_any_script(name) for name in _names(city)} | added
        for name in names - {"", folded_in_any_script(city.name)}:
            own = called.get(name)
            if own is not None and (name not in added or cities[own].population * 10 >= city.population):
                continue
            by_name.setdefault(name, index)
    return sorted((name.encode(), index) for name, index in by_name.items())
