# The object system of ns (OTcl) over plain Tcl, as far as ns-2's validation suite needs it. Objects are commands;
# their variables are global arrays' namesakes `::var::OBJECT::NAME`; a class has methods `::method::CLASS::NAME`.

namespace eval ::method {}
namespace eval ::var {}
set ::otcl_objects 0

proc chain class {
    set all {}
    while {$class ne ""} {
        lappend all $class
        set class [expr {[info exists ::otcl_parent($class)] ? $::otcl_parent($class) : ""}]
    }
    return $all
}

proc find {class name} {
    foreach one [chain $class] {
        if {[info commands ::method::${one}::$name] ne ""} {return $one}
    }
    return ""
}

proc Class {name args} {
    set ::otcl_parent($name) [expr {[llength $args] ? [lindex $args 1] : "Object"}]
    namespace eval ::var::$name {}
    namespace eval ::method::$name {}
    interp alias {} $name {} class $name
    return $name
}

proc class {name verb args} {
    switch -- $verb {
        instproc {
            lassign $args method formals body
            set ::otcl_body($name,$method) $body
            proc ::method::${name}::$method [concat self $formals] "set class $name; set proc $method; $body"
        }
        proc {
            lassign $args method formals body
            proc ::var::${name}::$method [concat self $formals] $body
        }
        set {
            if {[llength $args] == 1} {return [default $name [lindex $args 0]]}
            set ::otcl_default($name,[lindex $args 0]) [lindex $args 1]
        }
        info {return [class-info $name {*}$args]}
        superclass {set ::otcl_parent($name) [lindex $args 0]}
        default {
            if {[info commands ::var::${name}::$verb] ne ""} {return [::var::${name}::$verb $name {*}$args]}
            return [create $name $verb {*}$args]
        }
    }
}

proc class-info {name verb args} {
    switch -- $verb {
        instbody {return $::otcl_body($name,[lindex $args 0])}
        subclass {
            if {[llength $args]} {return [expr {[lindex $args 0] in [chain $name]}]}
            return [subclasses $name]
        }
        instprocs {
            return [lmap one [array names ::otcl_body $name,[lindex [concat $args *] 0]] {
                lindex [split $one ,] 1
            }]
        }
    }
}

proc subclasses name {
    set all {}
    foreach {one parent} [array get ::otcl_parent] {if {$parent eq $name} {lappend all $one}}
    return $all
}

proc default {name key} {
    foreach one [chain $name] {
        if {[info exists ::otcl_default($one,$key)]} {return $::otcl_default($one,$key)}
    }
    error "$name has no default of $key"
}

proc create {class name args} {
    namespace eval ::var::$name {}
    set ::otcl_class($name) $class
    interp alias {} $name {} object $name
    foreach one [lreverse [chain $class]] {
        foreach key [array names ::otcl_default $one,*] {
            set ::var::${name}::[lindex [split $key ,] 1] $::otcl_default($key)
        }
    }
    record create $name $class $args
    if {[find $class init] ne ""} {::method::[find $class init]::init $name {*}$args}
    return $name
}

proc new {class args} {
    if {![info exists ::otcl_parent($class)]} {error "no class $class"}
    return [create $class _o[incr ::otcl_objects] {*}$args]
}

proc delete name {}

proc object {name verb args} {
    switch -- $verb {
        set {
            set variable ::var::${name}::[lindex $args 0]
            if {[llength $args] == 1} {return [expr {[info exists $variable] ? [set $variable] : 0}]}
            record set $name {*}$args
            return [set $variable [lindex $args 1]]
        }
        instvar {
            foreach one $args {
                lassign $one theirs ours
                if {$ours eq ""} {set ours $theirs}
                uplevel 1 [list upvar #0 ::var::${name}::$theirs $ours]
            }
            return
        }
        array {return [array [lindex $args 0] ::var::${name}::[lindex $args 1] {*}[lrange $args 2 end]]}
        info {return [object-info $name {*}$args]}
        next {return [next $name [info level -1] $args]}
    }
    set found [find $::otcl_class($name) $verb]
    if {$found ne ""} {return [uplevel 1 [list ::method::${found}::$verb $name {*}$args]]}
    if {![info exists ::otcl_known([lindex [chain $::otcl_class($name)] end-1])]} {error "$name: no $verb"}
    return [record call $name $verb {*}$args]
}

proc object-info {name verb args} {
    switch -- $verb {
        class {return $::otcl_class($name)}
        vars {return [lmap one [info vars ::var::${name}::*] {namespace tail $one}]}
    }
}

# The method of the next class up the chain, for whoever is in the method that `level` says.
proc next {name level arguments} {
    regexp {^::method::(.*)::([^:]+)$} [lindex $level 0] - class method
    foreach one [lrange [chain $class] 1 end] {
        if {[info commands ::method::${one}::$method] ne ""} {
            return [::method::${one}::$method $name {*}$arguments]
        }
    }
}
