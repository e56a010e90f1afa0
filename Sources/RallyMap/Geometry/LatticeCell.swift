/// A cell of the lattice that is fixed to the world at one zoom.
struct LatticeCell: Hashable {
  let column: Int
  let row: Int
}
