// Package strictjson reads JSON that a person or another program wrote, so that
// nothing of it is passed over: an unknown key is an error, and so is anything
// that stands behind the value.
//
//	{"id": 2, "slotz": 512}   json: unknown field "slotz"
//	{"id": 2} {"id": 3}       something stands behind the JSON value
//
// Left out: keys that stand twice, of which the last counts, and the case of keys,
// which does not count (package encoding/json).
package strictjson
