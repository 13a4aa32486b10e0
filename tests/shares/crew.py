"""Random writers and followers on several hosts that share one store, and the proof of the history they leave."""
import argparse
import json
import os
import queue
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.realpath(__file__))
WORKER = os.path.join(os.path.dirname(HERE), 'Opossum.ProcessTests.Worker', 'bin', 'Release', 'net10.0', 'Opossum.ProcessTests.Worker.dll')
NEXT_LINE_WITHIN = 300    # seconds
END = 'ENDED'


class Wrong(Exception):
    """What the product did is not right."""


class CannotTest(Exception):
    """This machine lacks something; nothing is proved."""


def build_worker():
    subprocess.run(['dotnet', 'build', '-c', 'Release', '-v', 'quiet', '--nologo', os.path.dirname(WORKER).split('/bin/')[0]],
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)


class Process:
    """A worker on one of the hosts: it hears lines and says lines."""

    def __init__(self, connection, command):
        self.said = queue.Queue()
        self.code, self.complaint = None, 'its connection has ended'
        self.process = subprocess.Popen(connection, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1)
        self.say(f'errors=$(mktemp); {command} 2> $errors; echo "{END} $? $(tr "\\n" " " < $errors)"; rm $errors')
        threading.Thread(target=self._listen, daemon=True).start()

    def say(self, line):
        try:
            self.process.stdin.write(line + '\n')
            self.process.stdin.flush()
        except OSError:
            pass    # It has ended; whoever listens to it notices.

    def hear(self, within=NEXT_LINE_WITHIN):
        """The next line; None: it has ended."""
        try:
            return self.said.get(timeout=within)
        except queue.Empty:
            raise Wrong(f'a worker said nothing for {within} s') from None

    def kill(self):
        """Ends it without any warning to it, or the connection to it where it is on another machine."""
        subprocess.run(['pkill', '-KILL', '-P', str(self.process.pid)], stderr=subprocess.DEVNULL)
        self.process.kill()

    def _listen(self):
        for line in self.process.stdout:
            if line.startswith(END):
                _, code, self.complaint = line.rstrip('\n').split(' ', 2)
                self.code = int(code)
                break
            self.said.put(line.rstrip('\n'))
        self.said.put(None)


class Mount:
    """A mount of the shared folder on this machine."""

    def __init__(self, name, folder):
        self.name, self.folder, self.store = name, folder, os.path.join(folder, 'store')

    def start(self, role, *arguments):
        return Process(['sh', '-c', 'read -r line; eval "$line"'], ' '.join(['dotnet', WORKER, role, self.store, *map(str, arguments)]))


class Crew:
    """Writers that race on all hosts, while a follower on each reads; what goes wrong may be endured, what is untrue may not."""

    def __init__(self, hosts, seed, writers_each=2, attempts_each=60, kills=0, endures=False):
        self.hosts, self.seed, self.endures = hosts, seed, endures
        self.writers_each, self.attempts_each = writers_each, attempts_each
        self.random = random.Random(seed)
        self.kills_left = kills
        self.gate = threading.Lock()
        self.processes, self.answers, self.started, self.failures, self.problem = [], [], 0, 0, None
        self.first_answer = None
        self.done = threading.Event()

    def run(self, meanwhile=()):
        """Does all the work; calls each of meanwhile once, spread over it; returns the answers."""
        total = len(self.hosts) * self.writers_each * self.attempts_each
        followers = [threading.Thread(target=self._guard, args=(self._follow, host)) for host in self.hosts]
        writers = [threading.Thread(target=self._guard, args=(self._write, host)) for host in self.hosts for _ in range(self.writers_each)]
        for thread in followers + writers:
            thread.start()
        self._guard(self._act, meanwhile, total)
        for thread in writers:
            thread.join()
        self.done.set()
        for thread in followers:
            thread.join()
        if self.problem:
            raise self.problem
        return self.answers

    def _act(self, meanwhile, total):
        for number, action in enumerate(meanwhile, 1):
            while len(self.answers) < total * number / (len(meanwhile) + 1):
                if self.problem:
                    return
                time.sleep(0.05)
            action()

    def _guard(self, work, *arguments):
        try:
            work(*arguments)
        except Exception as e:    # Told by run, in the thread that waits for all.
            self.problem = self.problem or e
            self.done.set()
            for process in self.processes:
                process.kill()

    def _start(self, host, *role):
        process = host.start(*role)
        self.processes.append(process)
        return process

    def _write(self, host):
        left = self.attempts_each
        while left > 0 and not self.problem:
            with self.gate:
                self.started += 1
                name, seed = f'{host.name}{self.started}', 3 * (self.seed * 1000 + self.started) + 1
            process = self._start(host, 'write', name, seed, left)
            killed = False
            while (line := process.hear()) is not None:
                if line == 'opening':
                    continue
                left -= 1
                with self.gate:
                    self.first_answer = self.first_answer or time.monotonic()
                    self.answers.append(line)
                    killed = killed or self.kills_left > 0 and self.random.random() < 0.05
                    if killed:
                        self.kills_left -= 1
                if killed:
                    process.kill()
            self._ended(host, process, killed)

    def _follow(self, host):
        while not self.problem:
            process = self._start(host, 'follow')
            if process.hear() == 'ready':
                self.done.wait()
                process.say(str(self._acknowledged()))
                while process.hear() is not None:
                    pass
            if self._ended(host, process, False):
                return

    def _ended(self, host, process, killed):
        if process.code == 0 or killed:
            return True
        complaint = process.complaint
        if not self.endures:
            raise Wrong(f'a worker on {host.name} ended with {process.code}: {complaint}')
        with self.gate:
            self.failures += 1
        print(f'  on {host.name}: {complaint[:300]}', flush=True)
        if 'Follower.Judge' in complaint:
            raise Wrong(complaint)    # It saw what is not so.
        time.sleep(1)
        return False

    def _acknowledged(self):
        told = [json.loads(answer)['Appended'] for answer in self.answers]
        return max((each['LastPosition'] for each in told if each), default=0)


def prove(host, answers):
    """What the store of that host holds, if it agrees with itself and with the answers."""
    process = host.start('prove')
    for answer in answers:
        process.say(answer)
    process.say('')
    told = process.hear()
    while told is not None and process.hear() is not None:
        pass
    if process.code != 0:
        raise Wrong(f'on {host.name}: {process.complaint}')
    return told


def measure(host):
    """Events a second, in lines."""
    process = host.start('measure')
    lines = []
    while (line := process.hear()) is not None:
        lines.append(line)
    if process.code != 0:
        raise Wrong(process.complaint)
    return lines


def race(what, hosts, seed, meanwhile=(), **crew):
    """One race and its proof on every host; says how it ended."""
    began = time.monotonic()
    racing = Crew(hosts, seed, **crew)
    answers = racing.run(meanwhile)
    conclude(what, hosts, answers, began, racing.failures)


def race_past_one_that_halts(what, hosts, seed, place, fault, undo, **crew):
    """A process on the first host halts in the midst of an append, holding the lock; then there is the fault, the others, who have the store open, race, and it goes on."""
    began = time.monotonic()
    beside = [host.start('follow') for host in hosts[1:]]
    for each in beside:
        if each.hear() != 'ready':
            raise Wrong(f'a worker did not open the store: {each.complaint}')
    halting = hosts[0].start('halt', place)
    if halting.hear() != 'halted':
        raise Wrong(f'a worker did not halt: {halting.complaint}')
    fault()
    faulted = time.monotonic()
    racing = Crew(hosts[1:], seed, endures=True, **crew)
    answers = racing.run()
    first_answer = racing.first_answer - faulted
    for each in beside:
        each.say('0')
        while each.hear() is not None:
            pass
        if 'Follower.Judge' in each.complaint:
            raise Wrong(each.complaint)    # The server may have been away; but it saw what is not so.
    undo()
    halting.say('go on')
    line = halting.hear()
    if line:
        first, last = (int(word) for word in line.split() if word.isdigit())
        answers.append(json.dumps({'Writer': 'halting', 'Attempt': 0, 'Guard': None, 'Appended': {'FirstPosition': first, 'LastPosition': last}, 'Conflict': 0, 'Head': 0}))
    print(f'{what}: the others waited {first_answer:.0f} s; the one that halted: {line or halting.complaint[:200]}', flush=True)
    conclude(what, hosts, answers, began, racing.failures)


def conclude(what, hosts, answers, began, failures):
    for host in hosts:
        print(f'{what}, seen from {host.name}: {prove(host, answers)}', flush=True)
    print(f'{what}: passed in {time.monotonic() - began:.0f} s' + (f', {failures} workers ended by errors and were started again' if failures else ''), flush=True)


def add_options(parser):
    """The options that all scripts have."""
    parser.add_argument('--parts', help='which, and in which order; all by default')
    parser.add_argument('--repeat', type=int, default=1, metavar='N', help='how often; each time with the next seed')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--folder', help=argparse.SUPPRESS)


def repeat(given, parts, run_part):
    """Runs the parts as often as is asked for, whatever becomes of those before; says how many passed."""
    tried = passed = 0
    for seed in range(given.seed, given.seed + given.repeat):
        for part in (given.parts or parts).split(','):
            tried += 1
            print(f'{part}, seed {seed}: load {os.getloadavg()[0]:.1f}', flush=True)
            try:
                run_part(part, seed, f'store-{part}-{seed}')    # a store of its own, for clients may still know one that was removed
                passed += 1
            except Wrong as e:
                print(f'{part}, seed {seed}: FAILED: {e}', flush=True)
    print(f'{passed} of {tried} passed', flush=True)
    return 0 if passed == tried else 1


def run_isolated(prefix, what_is_left):
    """Runs this script again in namespaces and a folder of its own; keeps the folder when something is wrong."""
    folder, code = tempfile.mkdtemp(prefix=prefix), None
    try:
        command = ['unshare', '--mount', '--net', '--pid', '--fork', '--mount-proc', '--kill-child', 'sh', '-c', '"$@"; exit $?', 'sh', sys.executable, *sys.argv, '--folder', folder]
        inner = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        signal.signal(signal.SIGTERM, lambda *_: inner.terminate())
        code = inner.wait()
        return code
    finally:
        if code == 1:
            print(f'{what_is_left}: {folder}')
        else:
            shutil.rmtree(folder)


def main(run):
    """Runs it; ends with 0 when all is proved, with 77 when this machine cannot do it, and with 1 otherwise."""
    try:
        return run() or 0
    except CannotTest as e:
        print(f'Skipped: {e}')
        return 77
    except (Wrong, OSError, subprocess.SubprocessError) as e:
        print(f'FAILED: {e}', file=sys.stderr)
        return 1
