# The classes of ns that the suite names, as far as they say what is to be played; whoever plays reads their variables.

foreach {otcl_name otcl_above} {
    Simulator Object Node Object Link Object Object "" Trace Object RNG Object RandomVariable Object
    ErrorModule Object ErrorModule/Fid ErrorModule ErrorModel Object ErrorModel/List ErrorModel
    ErrorModel/Periodic ErrorModel Agent Object Agent/UDP Agent Agent/Null Agent Agent/TCP Agent
    Agent/TCP/Reno Agent/TCP Agent/TCP/Newreno Agent/TCP/Reno Agent/TCP/Sack1 Agent/TCP Agent/TCP/Fack Agent/TCP
    Agent/TCP/SackRH Agent/TCP Agent/TCP/FullTcp Agent/TCP Agent/TCP/FullTcp/Tahoe Agent/TCP/FullTcp
    Agent/TCP/FullTcp/Newreno Agent/TCP/FullTcp Agent/TCP/FullTcp/Sack Agent/TCP/FullTcp Agent/TCPSink Agent
    Agent/TCPSink/DelAck Agent/TCPSink Agent/TCPSink/Sack1 Agent/TCPSink Agent/TCPSink/Sack1/DelAck Agent/TCPSink/Sack1
    Queue Object Queue/DropTail Queue Queue/RED Queue Application Object Application/FTP Application Application/Telnet Application
    Application/Traffic Application Application/Traffic/CBR Application/Traffic Monitor Object Source Object Source/FTP Source
} {
    Class $otcl_name -superclass $otcl_above
    set otcl_known($otcl_name) 1
}

proc remove-all-packet-headers {} {}
proc add-packet-header args {}
proc remove-packet-header args {}
proc exit args {stop}
proc pwd {} {return .}
proc file args {return 0}
proc puts args {}
proc flush args {}
proc close args {}
proc open args {return channel}
proc ns-random args {record call ns random {*}$args}
set quiet true
set PERL perl

Object instproc exit args {stop}
Object instproc instance {} {return ns}

Simulator instproc init args {set ::otcl_simulator $self; set ::otcl_agenda {}; set ::otcl_now 0.0; set ::otcl_order 0; array set ::otcl_nodes {}}
Simulator instproc now {} {return $::otcl_now}
Simulator instproc node args {
    set node [new Node]
    set ::otcl_nodes([array size ::otcl_nodes]) $node
    return $node
}
Simulator instproc at {time command} {lappend ::otcl_agenda [list [seconds $time] [incr ::otcl_order] $command]}
Simulator instproc halt {} {set ::otcl_halted 1}
Simulator instproc run {} {
    set ::otcl_halted 0
    # In the order in which ns resets its nodes, and with each its agents: that of an array of Tcl.
    foreach number [array names ::otcl_nodes] {record reset $::otcl_nodes($number)}
    while {[llength $::otcl_agenda] && !$::otcl_halted} {
        set ::otcl_agenda [lsort -real -index 0 $::otcl_agenda]
        set first [lindex $::otcl_agenda 0]
        set ::otcl_agenda [lrange $::otcl_agenda 1 end]
        set ::otcl_now [lindex $first 0]
        uplevel #0 [lindex $first 2]
    }
    stop
}
Simulator instproc duplex-link {a b rate delay kind args} {
    $self simplex-link $a $b $rate $delay $kind
    $self simplex-link $b $a $rate $delay $kind
}
Simulator instproc simplex-link {a b rate delay kind args} {
    set link [new Link]
    set queue [new Queue/$kind]
    foreach {key value} [list from $a to $b rate $rate delay $delay first_delay $delay queue $queue errors ""] {
        set ::var::${link}::$key $value
    }
    set ::otcl_link($a,$b) $link
}
Simulator instproc link {a b} {return $::otcl_link($a,$b)}
Simulator instproc delay {a b delay args} {$::otcl_link($a,$b) set delay $delay}
Simulator instproc bandwidth {a b rate args} {$::otcl_link($a,$b) set rate $rate}
Simulator instproc queue-limit {a b limit} {[$::otcl_link($a,$b) queue] set limit_ $limit}
Simulator instproc create-connection {source from sink to {fid 0}} {
    set tcp [new Agent/$source]
    set peer [new Agent/$sink]
    foreach {agent node} [list $tcp $from $peer $to] {$self attach-agent $node $agent; $agent set fid_ $fid}
    $self connect $tcp $peer
    return $tcp
}
Simulator instproc create-connection-list {source from sink to {fid 0}} {
    set tcp [$self create-connection $source $from $sink $to $fid]
    return [list $tcp [$tcp set peer_]]
}
Simulator instproc attach-agent {node agent} {$agent set node_ $node}
Simulator instproc connect {a b} {$a set peer_ $b; $b set peer_ $a}
Simulator instproc makeflowmon args {return [new Monitor]}
foreach verb {attach-fmon trace-all namtrace-all trace-queue eventtrace-all rtproto clearTimers color duplex-link-op simplex-link-op} {
    Simulator instproc $verb args {}
}

Link instproc queue {} {return [$self set queue]}
Link instproc errormodule args {
    if {[llength $args]} {$self set errors [concat [$self set errors] $args]}
    return [lindex [$self set errors] end]
}
foreach verb {set-flow-monitor dump attach classifier flows cget pdrops edrops pkts} {Monitor instproc $verb args {return 1}}
foreach verb {trace-dynamics init-monitor} {Link instproc $verb args {}}
Node instproc neighbors {} {return {}}

ErrorModule instproc init args {$self set models {}; $self set default {}}
ErrorModule instproc insert model {$self set models [concat [$self set models] $model]}
ErrorModule instproc bind {model args} {$model set flows_ $args}
ErrorModule instproc errormodels {} {return [$self set models]}
foreach verb {default drop-target} {ErrorModule instproc $verb args {}}
ErrorModel instproc init args {}
ErrorModel instproc droplist list {$self set droplist_ $list}
foreach verb {unit drop-target ranvar} {ErrorModel instproc $verb args {}}

Agent instproc init args {}
Agent instproc attach-app {kind} {
    set application [new Application/$kind]
    $application set agent_ $self
    return $application
}
Agent instproc attach-source kind {return [$self attach-app $kind]}
Agent instproc attach-trace args {}
foreach verb {trace attach} {Agent instproc $verb args {}}
foreach verb {start stop produce producemore send} {
    Application instproc $verb args [format {record do $self %s $::otcl_now $args} $verb]
}
Application instproc attach-agent agent {$self set agent_ $agent}
Application instproc init args {}
foreach verb {trace attach} {Queue instproc $verb args {}}
Queue instproc init args {}
