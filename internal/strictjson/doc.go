// Package strictjson reads JSON and passes nothing over: an unknown key is an error,
// and so is anything behind the value.
//
//	{"id": 2, "slotz": 512}   json: unknown field "slotz"
//	{"id": 2} {"id": 3}       something stands behind the JSON value
//
// Left out, as in encoding/json: of a repeated key the last counts, and the case of
// keys does not count.
package strictjson
