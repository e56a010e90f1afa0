/// Where missions will stand.
struct MissionsHome: View {
  var body: some View {
    Paragraph(
      "Missions, things that friends do together at places, will stand here. "
        + "Friends are on tab 3 already.", .dim
    )
    .padding(horizontal: 2, vertical: 1)
  }
}
