import Foundation
import RallyMap
import Testing

/// The map on terminals that have less, and by night: the expected map is drawn here.
struct GlyphPicturesTests {
  @Test func `the whole world in ASCII`() {
    let drawn = picture(
      .wholeWorld(columns: 80, rows: 24), people: DemoPeople.ascii, glyphs: .ascii)
    #expect(
      drawn == #"""
                    - .-.'=|.\(GREENLAND /      '\|''               .-
                  -___..-=\\' '-_        |       '        ..-   .'_-'"|     . --
                  .|\"_.. |/|   '\      .'        -      -|' _._-'    |'___ --'
          _-._   _''/"|-./J_--.  '\    -=- -      ._     -. |'|=       "  |--/"--,    |
        -"    """ "-'=-\/'-|'\'\.'/   .-"       .-' "\-__---'LF-                 '/""\\
        'F'      CANADA  .('.L_[' | ./' -('    -/ _' |/      '        RUSSIA      _ -|-'
        -\_,---..       ./ '|"._. '-/       '. /_||-|                         ,./"_--" -
        ..|\   '\|       \-./   \           ...////'  +Moscow               -"  -L|-
        '       ''.       .'' .--'         ana*'  *3 pawel~                 '=. -'  '-''
                  |      ''\ '-"'           _\.__\. .Istanbul           Beijing-
                  '.  USA   .omax      -you@*rui-'""|_  '|       CHINA +\"'_.*kenji
                   '=.  _--.'             '/'   '\--+Cairo_   .Lahore   | .-'
          -.         "\+Mexico City       /          '\. '|"\INDIA-. ./.Shenzhen
                       '"-\| _-_'       - \.          '"./'   \.' -|._' -.    -
          .              . '/+Bogotá       \----.      ./      '  '(('.-.-.
                           -'   BRAZIL          \+Kinshasa         '"+Jakarta-.--.
            .               +Lima    /          |     |-,.              '_---"\'-- .  .-
                              |    .São Paulo   '|   ,'|/ -            |"     '\  -- '
                              |  _/              |../'                 \ __    |
                             |' _*lu              "'                    "  "'\-.zoe '
                             |./                                              '   ..  -
                             /J .                            -.                   -
                             ''-     '

        """#)
  }

  @Test func `Europe in ASCII`() {
    let drawn = picture(
      Viewport(
        center: GeoPoint(latitude: 49, longitude: 11), zoom: 2, columns: 80, rows: 24),
      glyphs: .ascii)
    #expect(
      drawn == #"""
                     .-|/-/'           '-. .-' '.|-/   |'      /)\.    .            '\'|
                     '\.| |--.           '"' .-|\.     |..|'  .'\ |/---/              "
                     -.)_   /              .='|' \.    #'|'  .'  '+Riga|
                       '=. =\              |. /'_.' .--'     |-"'-LATVIA-..
                    ,_-.'|   \.             |//F\+Copenhagen.J|.     ''  ' '.  Moscow+
                  ._|'.'//"'  \.           -\"(- _-.  .,-"\-|-..L   .       -
                 |'  ''+Dublin .|      .__../- '/  \|"'  POLAND  |-'   +Minsk'.
                 .=L  .| |F"    |-.   /"  |        +Berlin       |  BELARUS |\
                 |. _-/  |' . UK /'  .|  .'         '        +Warsaw--.  . .'-'".
                 '""     ."''__+London+Brussels    ..L           ''   ''''/     --.
                       -='-/"'   .' '-_ .' GERMANY/ +Prague     .'         +Kyiv  '---._
                            -\\--'    '-'-..     'CZECHIA.-------      UKRAINE
                         //\--'    +Paris .'      AUSTRIA' _---.     ,--
                         '\-.    FRANCE  ./''|.-.-'    -"''+Budapest' '.'.   .       __"
                             |.         ,- ..-'''\-.--"\HUNGARY        '.--,-]__..--/-|'
                              _          ''''    .-=CROATIA' '-ROMANIA  ='/   -_''_._|
                              |'         ..ITALY | \'Belgrade+/-.    +Bucharest'-' "'--.
                   _---------|      .,-._,''  \  '\. '\.\ .. _ -"---/' "/              '
                  '\          '-"---|       /\/-.  '.  ''"\_|._. +SofiaJ
                   |'"'    SPAIN _--/      .J/   +Rome"-_  | ' .---_,/''\.._,-/""\---_ _
                   /  .   +Madrid   ..     |.|     '--..-\.\ '''.|/./)==-''   +Ankara "
                   | ".        | . '|      -||        \\| ''GREECE. -'|        TÜRKIYE
                   | -        .' '               .-__.|/    -.)-'/+.'|'
                   |-'\  .___-'    .+Algiers--|..'\-.)        '.\''.. \__.  .    . ..,..
        """#)
  }

  @Test func `Europe in blocks`() {
    let drawn = picture(
      Viewport(
        center: GeoPoint(latitude: 50, longitude: 10), zoom: 2, columns: 80, rows: 24),
      glyphs: .blocks)
    #expect(
      drawn == """
                             ▗▘          ▐█    ▗▛▜▟▗▟▜  ▝▀▀◦Stockholm▀▘  ▞             ▗
                       ▗▄▌▟▀▜▛           ▝▚▖ ▗▞▘ ▝▖▐▞▀   ▜▀      ▞█▚▄    ▌            ▝▜
                       ▞█▖▌ ▛▀▄▖           ▝▀▘ ▗▟▌▜▖     ▐▖▗▜▘  ▗▛▚ ▐▀▝▘▄▞
                       ▘▗█▙   ▞              ▗█▘▐▘ ▜▖    █▘▐▘  ▗▘  ▀◦Riga▌
                         ▞█▖ █▙              ▐▖ ▟▀▄▟▘ ▄▄▟▘     ▐▘▀▝▘LATVIA▙▗▗
                      ▄▄▄▖▚▌   ▜▖             ▌▟▟▛▚◦Copenhagen▗▟▙▗     ▞▌  ▝ ▘▖  Moscow◦
                    ▗▄▙▚▖▐▛▀▜▛  ▚▖           ▝▚▀█▞ ▙▄▖  ▗▄▀▀▜▄▌▟▗▖▙   ▞       ▚
                   ▜▘  ▘▝◦Dublin ▟▌      ▖▄▄▄▄▛▘ ▝▀  ▀▛▀▘  POLAND  ▛▝▘   ◦Minsk▘▖
                   ▗█▙  ▗▌ ▟▛▀    ▙▜▖   ▟▀  ▌        ◦Berlin       ▐  BELARUS ▐▀
                   ▟▌ ▄▄▀  ▟▘ ▗ UK ▟▘  ▖▌  ▖▘         ▐        ◦Warsaw▗▖▖  ▖ ▗▝▀▘▀▄
                   ▝▀▀     ▗▀▀▘▄▄◦London◦Brussels    ▗▖▙           ▝▌   ▝▝▘▘▀     ▝▘▖
                         ▗█▀▄▀▀▝   ▗▘ ▝▚▄ ▗▘ GERMANY▀ ◦Prague     ▗▞         ◦Kyiv  ▝▘▄▗
                              ▘▜▀▚▀▘    ▝▝▀▚▗▖     ▝CZECHIA▖▛▀▝▘▀▗▙      UKRAINE
                           ▞▀▀▀▀▘    ◦Paris ▗▘      AUSTRIA▘ ▄▗▖▀▟     ▄▖▚
                           ▝▀▚▄    FRANCE  ▖▞▝▘▜▟▗▄▀▘    ▛▀▝▘◦Budapest▘ ▝▗▝▙   ▖       ▄
                               ▙▖         ▄▙ ▗▖▄▝▘▘▀▗▄▝▘▜▙HUNGARY        ▝▖▗▛▄▟█▄▄▖▗▞▀▀▗
                                █          ▐▘▘▝    ▄▀█CROATIA▌ ▚▖ROMANIA  █▚▞   ▟█▝▝▄▄▄▟
                                ▌▘         ▚▗ITALY ▐ ▀▀Belgrade◦▀▄▖    ◦Bucharest▝▙▀ ▀▝▀
                     ▄▞▀▀▀▚▄▄▄▄▟      ▗▄▄▄▄▄▀▘  ▙  ▝▀▖ ▝▚▟▙ ▗▟ ▄ ▝█▀▝▘▀▝ ▜▞
                    ▝▚          ▝▘▀▝▙▖▟       ▞▚▀▚▄  ▝▄  ▝▀▀▙▟▟▖▄▟ ◦Sofia▟
                     ▐▘▀▞    SPAIN ▄▄▞▀      ▗▟▛   ◦Rome▀▚▄  ▐ ▌ ▗▚▗▘▄▄▛▘▝▙▖▗▄▄▞▀▀▀▀▀▚▄▄
                     ▞  ▌   ◦Madrid   ▖▖     ▐▖▐     ▝▀▄▖▗▀█▖▙ ▛▘▘▗▟█▗▀███▄▛▘   ◦Ankara
                     ▌ ▜▖        ▐ ▗ ▀▌      ▗▙▟        ▚▀▌ ▘▝GREECE▗ ▗▀▌        TÜRKIYE
                     ▌ ▞        ▗▘ ▝               ▗▄▄▄▄▟▞    ▗▖█▜▞██▖▝█▀
        """)
  }

  @Test func `the night of a summer morning in the east`() throws {
    let date = try Date("2026-06-21T08:24:00Z", strategy: .iso8601)
    let frame = MapRenderer().frame(
      .wholeWorld(columns: 80, rows: 24), options: MapOptions(night: date))
    let drawn = (0..<24).map { row in
      var line = ""
      for column in 0..<80 {
        let cell = frame[column, row]
        line += cell.isNight ? "#" : cell.ink == .coast ? "." : " "
      }
      while line.last == " " { line.removeLast() }
      return line
    }
    #expect(
      drawn.joined(separator: "\n") == """
                    . .........          .      .....               ..
                  ........... ...        .       .        ...   .......     . ..
                  ....... ...   ..      ..        .      ... .....    ..... ...
          ....   ..............  ..    ... .      ..     .. ....       .  ........    .
        ..    ... .................   ...       ... ............                 ......
        ...   ########   ........ . ... ...    .. .. ..      .                    . ....
        ..################ ...... ...       .. ......                         ........ .
        #####################   .           ........                        ..  ....   #
        #######################...                                          ... ..  .###
        ########################.           .......                        .....    ####
        ##########################     ..   ..........  ..                         #####
        ###########################       ...   ....      .             . ...     ######
        ############################      .          ... ....     .. ..          #######
        #############################   . ..          .....   ... ..... ..    . ########
        #############################      ......      ..      .  .........    #########
        ##############################          .                  ..        .##########
        ###############################         .     ....              .....###########
        ################################        ..   .... .            ..   ############
        #################################        .....                 . ..#############
        ##################################        ..                    . ##############
        ###################################                              ###############
        #####################################                ..        #################
        ######################################                        ##################
        #########################################                   ####################
        """)
  }

  /// A hash of the whole, and a few places of it to look at.
  @Test func `the whole world on a wall`() {
    let frame = MapRenderer(width: DemoPeople.width).frame(
      .wholeWorld(columns: 300, rows: 80), markers: DemoPeople.all)
    let spots: [(row: Int, from: Int, to: Int, text: String)] = [
      (30, 30, 90, "             ⠱⡹⠃                       ⣠⢊⡠⡀ ⠱⡀         ⣠⡫⠃ ⠉"),
      (38, 150, 215, " ◦Tripoli⠑⠢⠤⣀⡀⢀⡠⠤⣀⡰⠁                                             "),
      (44, 20, 95, "                                       ⠉⠒⠤⣀◦Mexico City    ⠐⠒⠂ ⠚⠳⠔◦Santo Do"),
      (64, 205, 275, "                           ⢣          ⣀⣀⡀               ⢰⠁            "),
    ]
    for spot in spots {
      let drawn = (spot.from..<spot.to).map { frame.character(atColumn: $0, row: spot.row) ?? "_" }
      #expect(String(drawn) == spot.text)
    }
    // FNV-1a.
    let hash = frame.text.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { hash, byte in
      (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }
    #expect(hash == 15824438021822574323)
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
