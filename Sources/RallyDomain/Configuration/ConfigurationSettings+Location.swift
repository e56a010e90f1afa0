import RallyTOML

extension ConfigurationSetting {
  static let locationSummary =
    "What measures where this device is, while you share a position or look at the map. "
    + "rally where --sources shows what each one says."

  static let location = [
    word(
      "location", "geoclue",
      "Whether to ask GeoClue, the location service of desktops: auto does so in a desktop session "
        + "at this machine, not over SSH. The desktop's own switch for location decides too. "
        + "RALLY_GEOCLUE wins.", isLive: false, \.geoClue),
    ConfigurationSetting(
      section: "location", key: "gpsd",
      summary: "Where gpsd listens, as host:port; the empty text is off. RALLY_GPSD wins.",
      values: "an address like \"127.0.0.1:2947\", or \"\"", isLive: false
    ) { value, _, configuration in
      let advice = "Write gpsd as text: an address like \"127.0.0.1:2947\", or \"\" for none."
      guard let text = value.text else { return advice }
      if text.isEmpty {
        configuration.gpsd = nil
        return nil
      }
      guard let address = GPSDAddress(text) else { return advice }
      configuration.gpsd = address
      return nil
    } write: {
      TOMLValue.literal($0.gpsd?.description ?? "")
    },
  ]
}
