package linktext

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// WhereDropped returns the path of the first entry of a file, as it was decoded, that has packets of a job
// and slot lost by name; ok is false where there is none.
func WhereDropped(file any, job int, slot uint32) (path string, ok bool) {
	return whereDropped(reflect.ValueOf(file), "", func(d Drop) bool {
		of := 1
		if d.Job != nil {
			of = *d.Job
		}
		return of == job && d.Slot == int(slot)
	})
}

func whereDropped(v reflect.Value, path string, is func(Drop) bool) (at string, ok bool) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return whereDropped(v.Elem(), path, is)
		}
	case reflect.Struct:
		if d, drop := v.Interface().(Drop); drop {
			return path, is(d)
		}
		return inStruct(v, path, is)
	case reflect.Slice:
		for i := range v.Len() {
			if at, ok = whereDropped(v.Index(i), fmt.Sprintf("%s[%d]", path, i), is); ok {
				return at, ok
			}
		}
	case reflect.Map:
		return inMap(v, path, is)
	}
	return "", false
}

func inStruct(v reflect.Value, path string, is func(Drop) bool) (at string, ok bool) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		key, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		below := strings.TrimPrefix(path+"."+key, ".")
		switch {
		case !f.IsExported() || key == "" && options != "inline":
			continue
		case options == "inline":
			below = path
		}
		if at, ok = whereDropped(v.Field(i), below, is); ok {
			return at, ok
		}
	}
	return "", false
}

func inMap(v reflect.Value, path string, is func(Drop) bool) (at string, ok bool) {
	entries := map[string]reflect.Value{}
	for _, k := range v.MapKeys() {
		entries[fmt.Sprint(k.Interface())] = v.MapIndex(k)
	}
	for _, k := range slices.Sorted(maps.Keys(entries)) {
		if at, ok = whereDropped(entries[k], strings.TrimPrefix(path+"."+k, "."), is); ok {
			return at, ok
		}
	}
	return "", false
}
