// Package yamldoc reads YAML files strictly and says where in the file each
// fault stands:
//
//	bad.yaml:8:1: unknown key "sede"; did you mean "seed"?
//	  sede: 1
//	  ^
//
// A file is one document. There are two ways to read it into structs, whose tags
// name the keys as in github.com/goccy/go-yaml, which parses the text:
//
//	         ┌─► Decode: the first fault is its error
//	Parse ──►┤
//	         └─► Find ──► Node ──► Read, Get, List: Err has all faults
//
// [Document.Decode] is for files in which any key may be left out. Any scalar
// may stand for text. The caller checks the values, and [Document.Find] says
// where a bad one stands.
//
// [Node.Read] is for files in which every key is needed. Text is text and never
// empty, anchors and tags are faults, and each fault names the entry that it is
// in. Reading goes on after a fault.
//
// # Left out
//
// Writing YAML, and keys that are not text.
package yamldoc
