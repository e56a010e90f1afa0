import RallyDomain
import RallyStreets

extension HTTPByteRanges: ByteRangeSource {}
