// Package yamldoc reads YAML files strictly and says where in the file each
// fault is:
//
//	bad.yaml:8:1: unknown key "sede"; did you mean "seed"?
//	  sede: 1
//	  ^
//
// A file is one document, parsed by github.com/goccy/go-yaml. There are two ways
// to read it into structs, whose tags name the keys:
//
//	         ┌─► Decode: its error has all unknown keys, and a bad value of each key
//	Parse ──►┤
//	         └─► Find ──► Node ──► Read, Get, List: Err has all faults
//
// [Document.Decode] is for files in which every key is optional. The caller checks
// the values, and [Document.Find] says where a bad one is.
//
// [Node.Read] is for files in which every key is required. Text is never empty,
// anchors and tags are faults, and reading goes on after a fault.
//
// Left out: writing YAML, and keys that are not text.
package yamldoc
