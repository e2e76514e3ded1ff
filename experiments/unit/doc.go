// Package unit has the experiments without a network or a clock: arithmetic on what
// the papers print, formats and quantisers, and rules of the protocols, tried on the
// program of a switch and on hosts that are driven by hand (package rig). All of
// them are cheap.
package unit
