/// Where the world map will stand.
struct MapHome: View {
  var body: some View {
    Paragraph(
      "The world map with your friends' live positions will stand here. "
        + "Friends are on tab 3 already.", .dim
    )
    .padding(horizontal: 2, vertical: 1)
  }
}
