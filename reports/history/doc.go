// Package history says how iteration times went over many runs. It keeps an index of the results directories in a
// data base (SQLite), so that a long history need not be read again each time.
//
//	results/*/manifest.json ──┐
//	results/*/record.json.gz ─┴─ Update ─► history.sqlite ─ Entries ─► Table
//	                                                                └► Figure
//
// The index holds nothing that the directories do not: it is made again where it is damaged, or of another
// version. A directory is read again where its manifest was written anew, and forgotten where it is gone.
//
// A run is held against the runs before it of the same scenario, with all its values, of the same clock and scale and, live, of the
// same kind of machine; a row against those of its seed, since the seed says who straggles. A run that is not
// to be believed stays in the table with the reason, and no other is held against it.
//
// Left out: whether a change is more than chance; package change tells.
package history
