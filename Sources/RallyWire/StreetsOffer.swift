/// The archive of streets that a server offers to its group.
public enum StreetsOffer {
  /// Where parts of the file are fetched (RFC 9110, section 14), with the API key and a session; as objects of a
  /// public bucket of Supabase Storage are.
  public static let path = "/storage/v1/object/public/streets/streets.pmtiles"
}
