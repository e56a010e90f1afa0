import GRDB
import Hummingbird
import CSodium
