import Foundation
import RallyMap
import Testing

/// What the whole world looks like: the expected map is drawn here.
struct WorldPicturesTests {
  @Test func `the whole world with everybody on it`() {
    let drawn = picture(
      .wholeWorld(columns: 80, rows: 24), people: DemoPeople.all)
    #expect(
      drawn == """
                    ⠄ ⡀⠄⢀⢓⡭⠧⢠⠣⢎GREENLAND ⣜      ⠁⢫⠇⠈⠁               ⢀⠠
                  ⠠⣀⣀⣀⡤⡀⡒⢶⠳⢖⠅ ⠈⠦⣀        ⡗       ⠘        ⢀⢤⠂   ⡀⠈⣀⠤⠃⠉⢲     ⡀ ⠐⠠
                  ⡤⢲⠑⠉⣀⡀⡀ ⡗⣞⠆   ⠈⢆      ⢤⠚        ⠂      ⠠⠗⠃ ⣀⡀⣠⠦⠝    ⢲⠁⣀⣠⣀ ⠂⠄⠁
          ⣀⠤⢄⣀   ⣀⠓⠙⡎⠉⢸⠠⢀⡸⣘⣈⡒⠒⢄  ⠈⢆    ⢐⠾⡂ ⠠      ⢀⣠     ⠠⢀ ⢰⠙⣖⠽       ⠉  ⠸⠔⠒⠊⠉⠒⠤⡠    ⠆
        ⠐⢍    ⠉⠉⠉ ⠉⠒⠫⠶⠒⠣⠎⠘⠴⢺⠨⢧⠈⢣⡀⠈⡎   ⢠⠒⠉       ⢠⠖⠁ ⠉⢑⡢⣄⣐⠤⠒⠒⠚⣃⡟⠂                 ⠙⠊⠉⠉⠑⢢
        ⠘⡍⠁      CANADA  ⢀⢎⠁⢠⣇⣈⣏⠁ ⢸ ⢀⠎⠁ ⠐⢮⠃    ⠠⡺ ⣴⠃ ⠸⠊      ⠈        RUSSIA      ⣀ ⠐⡖⠒⠁
        ⠠⠣⣄⡠⠔⠲⠤⢄⡀       ⢀⠎ ⠁⢹⠉⢦⣠⡀ ⠈⠒⠎       ⠁⡀ ⡎⣀⢸⢸⢔⠆                         ⡠⢄⡜⢉⣮⠔⠒⠉ ⠠
        ⢀⡀⠼⠑   ⠈⢱⡆       ⠑⠢⡀⡎   ⢱           ⢴⡤⡀↗⢜⣎⡰⠁  ◦Moscow               ⢔⠉  ⠐⣅⠧⠄
        ⠁       ⠈⠨⡦       ⢀⡈⠃ ⢀⠤⢔⠃         ana●⠁  ●3 pawel…                 ⢈⠷⡀ ⠄⠈  ⠁⠐⠁⠁
                  ⡇      ⠈⠓⠵ ⢚⠥⠛⠃           ⣀⠵⢀⣠⣀⣢⡀ ·Istanbul           Beijing⠂
                  ⠘⡄  USA   ⢀○max      ⠐you@●rui⡐⠈⠉⡉⠧⣤  ⠘⠼       CHINA ◦⢖⠉⠚⣠⡴●田中 健司
                   ⠈⢶⡄  ⣀⠤⠒⢴⡁             ⠁⡜⠁   ⠈⠑⠒⠒◦Cairo⣀   ·Lahore   ⢸ ⡀⠂⠁
          ⠠⡀         ⠉⢆◦Mexico City       ⡜          ⠘⢳⡄ ⠁⢸⠉⠑INDIA⠢⡀ ⢠⡔·Shenzhen
                       ⠈⠉⠒⢫⣖ ⣀⠤⣀⠁       ⠐ ⢇⡀          ⠈⠻⢴⠊⠁   ⠑⢤⠃ ⠠⢸⢠⣠⠃ ⠠⢀    ⠂
          ⢀              ⢀ ⠈⡝◦Bogotá       ⠑⠤⠒⠒⠒⡄      ⢀⠜      ⠈  ⠈⢮⢞⡁⡤⠒⡄⠂⡀
                           ⠠⡃   BRAZIL          ⢣◦Kinshasa         ⠈⠛◦Jakarta⢒⡤⠂⠄⢀
            ⢀               ◦Lima    ⡸          ⢸     ⢸⢐⡠⡄              ⠁⣈⠴⠒⢒⠉⢆⠈⠂⠐ ⡀  ⡀⠠
                              ⡇    ·São Paulo   ⠈⡆   ⡠⠃⠸⡜ ⠐            ⡖⠉     ⠈⢆  ⠂⠂ ⠈
                              ⡇  ⣀⡜              ⠸⡀⢀⡰⠁                 ⢣ ⣀⣀    ⢸
                             ⢰⠁ ⣀●lu              ⠉⠁                    ⠉  ⠉⠓⢢⢔◌zoe ⠁
                             ⢼⢀⠎                                              ⠁   ⢀⡀  ⠐
                             ⣜⣸ ⡀                            ⠂⡀                   ⠠
                             ⠈⠘⠐     ⠈

        """)
  }

  @Test func `the whole world on the smallest screen`() {
    let drawn = picture(
      .wholeWorld(columns: 60, rows: 16), people: DemoPeople.all)
    #expect(
      drawn == """
                ⠠⡀⠂⢀⡀⡦⣆⠻⠘⠤⢤     ⢀⡇    ⠻      ⣠⠴⠂ ⡀⣂⠔⠊⢒⠄  ⢀ ⡀⠄
                ⢀⢀⡠⢄⠄⡀⡠⠔⡄  ⢇    ⢸      ⠁    ⡐⠁⢀⣤⣀⡞   ⠈⠑⠖⠤⣀⠂⣀⡀   ⢀
          ⢠⠋⠉⠑⠒⠒⠒⠢⢵⣜⣆⠿⢓⡯⢎⢖⡀⠘⡆  ⣈⠎ ⠈   ⣀⠔⠓⣢⣄⣠⠬⠔⠚⠸⠆         ⠉ ⠈⠙⠒⠒⠪⣀
         ⠈⡎    CANADA⢸⠩⢁⢸⣄⡇ ⣇⣠⠋ ⠂  ⡀ ⢠⠃⡰⢇⠘⠜    ⠁     RUSSIA    ⢀⠔⠊⠁
         ⠈⠘⡤⠎⠑⠢⢄     ⠸⢄⣀⡇⠫⣠ ⠈      ⣄⠁⢀⡳⢑⠜ ◦Moscow        ⢀⠤⠒⢩⢻⢓⠁ ⠈
         ⠈⠁    ⠘⢲⠄     ⠱⠁⣠⡖⠁       ⢯●5 ana… ⢀            ⠈⡖ ⡀⠃ ⠁⠂⠂⠁
                ⠸⡀ USA  ○max   ⢀⡀ @you⠽⣆·Istanbul     ◦Beijing
                 ⠑⢤⡀⢀⡠⠤⢤⡃        ⠐⡰⠉⠉⠉⠒⠒⠤⢽ ⢠⢄⡀   CHINA ⡇⢀⠂●田中 健司
           ⠠      ⠈⠱◦Mexico City⢀⢰⠁      ⠘⢷⡀⣩⠋⠉⢣⢀⠤⠒⡄ ⢖·Shenzhen
                     ⠈⠙⠷⡎⠉⠒⠤⡀    ⠘⠢⣀⡠⢄     ⢹⠂   ⠻ ⠈⠜⠞⣊⣀⡀⡀  ⠁
           ⠈         ⠈ ⢸    ⠊⠑⡆      ⠈◦Kinshasa    ⠐⠠⠋⢀⣀⡐⢶⣒⢤⡀⢀
            ⠠           ⠑⡄   ⢠⠃       ⢇  ⢠⠃⠁ ⡀        ⢀⠤⠚⠲⠦⣀⠁⠁⢀ ⠔⠐
                         ⡇ ⣀⡠⠃        ⠸⣀⢠⠃            ⢫ ⣀  ⠈◌zoe
                        ⢰⠁⡰●lu          ⠁              ⠉ ⠉⠲⠞   ⠁
                        ⢘⣴⠁                    ⠄              ⡀  ⠁
                        ⠈⠘⠂   ⠁                ⠈
        """)
  }

  @Test func `the Bering sea, over the dateline`() {
    let drawn = picture(
      Viewport(
        center: GeoPoint(latitude: 65, longitude: -168), zoom: 2, columns: 80, rows: 24))
    #expect(
      drawn == """
                             ⠧⠒⠉⠒⠊⠁                        ⢠⠒⠒⠊ ⠐⠓⠁⠱⠔⠒⡆
                                                        ⡠⠤⠔⠟          ⠈⠉⠉⠉⠉⠒⢄⣀⣀⣀
        ⣀    ⡠⢤⣤ ⡏⠑⠒⠢⠤⠤⠤⠤⢄⡀                            ⡰⠁                       ⠑⠒⠉⠉⠑⡄
         ⠉⠉⠒⠊⠈⣇⠈ ⠸⡀       ⠈⠑⠢⢄                        ⡰⠁                             ⠈⡍⠉
               ⠉⠦⠤⠃           ⠉⠢⢄                 ⢠⠤⠔⠊                                ⠆
                                 ⢳⠢⡀             ⠠⢇⡀                                  ⡃
                                   ⠈⠒⢄             ⠈⠢⡀                                ⡅
                                     ⠘⡄ ⣀            ⠘⣄⡀                              ⠆
                                      ⡇⢫⠘⠉⠉⢢         ⣀⡀⠈⢿⣇⣀                           ⡃
                               ⡰⢳⠃    ⠘⠉    ⢑⡤   ⣀⠴⠔⠉⠰⠥⣀⣈⠏⠚                           ⡅
                               ⢱⠈⣆⡠⠤⣀    ⢰⢄⡱⠎  ⠠⢎⡀                                    ⠆
                        ⣀⠤⠴⡄  ⣀⠇    ⠘⣄  ⢀⠜       ⠈⡇     ⢀⣠                            ⡃
                       ⠉ ⠉⠉⢎⡑⠉        ⠉⠑⢆⠕        ⠘⠢⠤⠒⠼⠢⠃⠴⡃                           ⡅
                            ⠘⡄            ⢠⣀⣀            ⣠⠃                           ⠆
                             ⠑⡄           ⠈⠒⠒⠵⠶⠂    ⢀⠔⡤⠔⠉                             ⡃
        ⢒⣄               ⣀⠤⠒⠤⣠⠃                    ⢀⠎                                 ⡅
        ⡸             ⣀⠔⠊                         ⢠⠊                                  ⠆
        ⠃          ⢀⠤⠊                            ⠈⠱⣀                  ⢀⠔⣪⡃⢀⣠ ⣀       ⡃
          ⢀⣠⢀⡠⠔⠢⢄⢠⠊⠁                    ⠠         ⢀⡠⢎⠉⠓⢀⡴            ⢀⢔⢱⠉ ⠉ ⣇⢉⡘⠲⣠⠆    ⡅⣀
        ⠊⠺⠁⠞⠁   ⠈⠃                              ⠈⠛⠓⠃ ⠑⠤⠚⢣           ⣀⠎ ⢮⠄⣀⠞⠚⠢⠃   ⠕⠒⠉⠉⠒⠤⡠
        ⠔⡆                                              ⢸ ⡠⢄ ⢀ ⣠   ⠸⣀  ⠚⠊
        ⠉                                               ⠉⠉  ⠑⠎⢪⠊   ⡠⢃⣤⡤
                                                              ⡸ ⢀⠔⢊⠤⡜⣒⡆
                                            ⠈⢀              ⡠⠊⣀⠔⠊ ⠈⠒⠛
        """)
  }

  @Test func `the north pole`() {
    let drawn = picture(
      Viewport(
        center: GeoPoint(latitude: 84, longitude: 0), zoom: 0.8, columns: 80, rows: 24))
    #expect(
      drawn == """




                        ⢀⣀⠤⠤⠤⠤⣀
                   ⢀⠤⠒⢄⠦⣣   ⢀⣠⣤⣝⣂
        ⢤          ⠸⣔⣤⡀ ⠈        ⠣⢄⡀
         ⠧⡄  ⢀⡠⣀⢠⠤⢄⢏⢳           ⢀⣀⡠⠃
         ⡜ ⣤⡒⠁ ⣿⢣⠧ ⠱⣹         ⠟⠛⠥⣀⠔⡆⢦
        ⠍ ⡸ ⠳⡀ ⠋    ⠈            ⠁⢀⢧⠢⢤⠋⠉⢉⠆                                         ⡠⣀ ⠈
        ⢄⡗⠃                       ⣸⠃   ⡤⠊                                    ⢀⢀⣀ ⢀⠾⢶⣥⣀⣀⣠
                                  ⠁   ⡖⠁                   ⢀⡀ ⣀⣀⡀           ⠪⡫⢏⡸ ⠠⠉⢲⢭⠣⠜
        ⠄                           ⣏⠉⠁                ⡀ ⡀⡰⡴⡉⠑⠃ ⢈⠇ ⠐⠊⠁       ⠈⠃⠄⠈ ⠁ ⠣
                                    ⢱                  ⢹⠑⠟⣇⢿⠘⠤⢄⣀⠎
                                   ⡰⠁                 ⠰⡶⢇⣠⢈ ⢉⣢⡀ ⠠⠐
                GREENLAND         ⢠⣃⢣                  ⠙⢠⠝⠋ ⡎⢇⢣
                                  ⠈ ⣇⡁                   ⡟⠉⡸ ⠮⢆⠏
                                  ⢤⠒⢒⠃                   ⠘⢤⠃
        ⠒⠉⠒⠤⡀                      ⠱⡘                                               ⡠⠒⠊⢉
            ⢣                      ⢤⠧                                              ⡰⠁⢠⠊⠁
             ⢣                    ⠠⣬⠃                       ⠂                     ⡔⠁⡰⠁
             ⢸⡀                ⣀⠴⣕⡢⠊                                             ⣘⢤⡴⠁
             ⠐⡜⡄               ⠐⠻⡱⢼                                             ⢘⠄⢸
              ⠓⣗⠆               ⡦⡈⢱                             ⡀⢀              ⠱⡄⠘⡄
        """)
  }

  @Test func `the south pole`() {
    let drawn = picture(
      Viewport(
        center: GeoPoint(latitude: -84, longitude: 0), zoom: 0.8, columns: 80, rows: 20))
    #expect(
      drawn == """
        ⢠⠼⠉                        ⠈ ⡸
        ⠊                       ⣀⠤⠒⠒⠉⠁
                             ⣀⠔⠉
                           ⡠⠊
                  ⡔⠒⢢     ⡜
                 ⡜  ⣀⡇   ⢰⠁
                 ⡇   ⢣   ⠠⠭⠖⠤⢆
          ⡤⡄    ⢠⠃   ⢸      ⠰⢬⡉⠒⠒⢤
        ⡒⠤⠇⡸  ⢀⠏⠁ ⢀⡠⠔⠃     ⢀⡠⠔⠉⠉⠉⠁
        ⠈⠑⠒⠃  ⠸⠔⠒⠉⠁    ⢀⢄⡠⠜⠁
        ⠤⣀            ⡰⠁
        ⠽       ⢀⡠⢄⡀ ⢠⠃
        ⠤⠔⡖  ⢀⠤⠊⠁  ⢱⡠⠎
         ⠸⡀ ⢀⠎
          ⡇ ⡜
          ⠉⠚




        """)
  }

  /// Draws with a fresh renderer, so that no picture depends on another.
  private func picture(
    _ viewport: Viewport, people: [MapMarker] = [], glyphs: GlyphSet = .braille
  ) -> String {
    MapRenderer(width: DemoPeople.width).frame(
      viewport, markers: people, options: MapOptions(glyphs: glyphs)
    ).text
  }
}
