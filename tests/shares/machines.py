"""Small virtual machines on networks of their own, and the servers of a share: Samba on this machine, the kernel's NFS server on one of those."""
import os
import shlex
import shutil
import signal
import subprocess
import time

import crew

BOOT_WITHIN = 90    # seconds


def must(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise crew.CannotTest(f'{" ".join(command)}: {done.stdout.strip()}')
    return done.stdout


class Machine:
    """A virtual machine with a network cable to this one; it sees this machine's files, to read only, and a share."""

    uses_kvm = False    # software emulation runs everywhere, about ten times slower

    def __init__(self, name, number, images, role='', disk=None):
        self.name, self.tap = name, f'tap{number}'
        self.address, self.server = f'10.77.{number}.2', f'10.77.{number}.1'
        self.images, self.role, self.disk = images, role, disk
        must('ip', 'tuntap', 'add', 'dev', self.tap, 'mode', 'tap')
        must('ip', 'address', 'add', f'{self.server}/24', 'dev', self.tap)
        must('ip', 'link', 'set', self.tap, 'up')
        self.boot()

    def boot(self):
        log = os.path.join(self.images, f'{self.name}.log')
        open(log, 'w').close()
        accelerator = ['-enable-kvm', '-cpu', 'host'] if Machine.uses_kvm else ['-accel', 'tcg,thread=multi', '-cpu', 'max']
        disk = ['-drive', f'file={self.disk},format=raw,if=virtio,cache=writethrough'] if self.disk else []
        self.process = subprocess.Popen(
            ['qemu-system-x86_64', *accelerator, '-m', '768', '-nodefaults', '-no-user-config', '-display', 'none', '-no-reboot', '-serial', f'file:{log}',
             '-kernel', f'{self.images}/vmlinuz', '-initrd', f'{self.images}/image',
             '-append', f'console=ttyS0 quiet panic=-1 mitigations=off edd=off random.trust_cpu=on host={self.name} address={self.address} {self.role}',
             '-netdev', f'tap,id=net,ifname={self.tap},script=no,downscript=no', '-device', f'virtio-net-pci,netdev=net,mac=52:54:00:77:00:{int(self.tap[3:]):02x}',
             '-virtfs', 'local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap', *disk],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + BOOT_WITHIN
        while 'READY' not in open(log, errors='replace').read():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise crew.CannotTest(f'{self.name} does not boot: {open(log, errors="replace").read()[-500:]}')
            time.sleep(0.2)
        time.sleep(0.5)

    def shell(self, command):
        process = crew.Process(self._connection(), command)
        lines = []
        while (line := process.hear()) is not None:
            lines.append(line)
        if process.code != 0:
            raise crew.CannotTest(f'{self.name}: {command}: {process.complaint}')
        return '\n'.join(lines)

    def power_off(self):
        """At once, and without a word to the server."""
        self.process.kill()
        self.process.wait()

    def sleep(self):
        self.process.send_signal(signal.SIGSTOP)

    def wake(self):
        self.process.send_signal(signal.SIGCONT)

    def unplug(self):
        must('ip', 'link', 'set', self.tap, 'down')

    def plug(self):
        must('ip', 'link', 'set', self.tap, 'up')

    def _connection(self):
        return ['busybox', 'nc', '-w', '5', self.address, '7000']


class Host(Machine):
    """A machine that has mounted the share, and runs workers on it with this machine's .NET."""

    def __init__(self, name, number, images, share):
        self.share = share
        super().__init__(name, number, images)

    def boot(self):
        super().boot()
        self.shell('mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144,cache=loose,ro host /h')
        for folder in ('proc', 'sys', 'dev'):
            self.shell(f'mount -o bind /{folder} /h/{folder}')
        self.shell('mount -t tmpfs tmp /h/mnt && mkdir /h/mnt/share')
        self.mount()

    def mount(self):
        self.shell(f'chroot /h mount -i -n {self.share.mount(self)} /mnt/share')

    def start(self, role, *arguments):
        worker = ['dotnet', crew.WORKER, role, f'/mnt/share/{self.share.store}', *map(str, arguments)]
        return crew.Process(self._connection(), 'chroot /h /usr/bin/env HOME=/mnt TMPDIR=/mnt DOTNET_EnableDiagnostics=0 ' + shlex.join([shutil.which('dotnet'), *worker[1:]]))


class Samba:
    """Samba on this machine, and the share it serves."""

    def __init__(self, folder, settings=''):
        self.store = 'store'
        self.folder, self.path = os.path.join(folder, 'samba'), os.path.join(folder, 'share')
        os.makedirs(self.path)
        os.makedirs(self.folder)
        self.configuration = os.path.join(self.folder, 'smb.conf')
        directories = ''.join(f'{each} = {self.folder}\n' for each in ('private dir', 'lock directory', 'state directory', 'cache directory', 'pid directory', 'ncalrpc dir'))
        with open(self.configuration, 'w') as f:
            f.write(f'[global]\nserver role = standalone server\ndisable netbios = yes\nsmb ports = 445\nload printers = no\ndisable spoolss = yes\n'
                    f'log file = {self.folder}/log\npassdb backend = tdbsam:{self.folder}/passdb.tdb\n{directories}{settings}\n'
                    f'[share]\npath = {self.path}\nread only = no\nforce user = root\n')
        subprocess.run(['smbpasswd', '-c', self.configuration, '-s', '-a', 'root'], input=b'pw\npw\n', stdout=subprocess.DEVNULL, check=True)
        self.start()

    def start(self):
        self.process = subprocess.Popen(['smbd', '-s', self.configuration, '--foreground', '--no-process-group'], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)

    def mount(self, host):
        return f'-t cifs -o ip={host.server},unc=//{host.server}/share,vers=3.1.1,username=root,password=pw,uid=0,gid=0 //{host.server}/share'

    def reset(self, host):
        """Ends the connection to a host; the server forgets its locks and its open files."""
        for line in must('ss', '-Htnp', 'state', 'established', 'dst', host.address).splitlines():
            if 'smbd' in line:
                os.kill(int(line.split('pid=')[1].split(',')[0]), signal.SIGKILL)

    def restart(self, away):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        time.sleep(away)
        self.start()


class Nfs:
    """The kernel's NFS server on a machine, which exports a disk of its own."""

    LEASE = 20    # seconds; the kernel's default is 90

    def __init__(self, folder, images):
        self.store = 'store'
        disk = os.path.join(folder, 'disk')
        must('truncate', '-s', '1G', disk)
        must('mkfs.ext4', '-q', '-F', disk)
        self.machine = Machine('S', 9, images, f'role=nfsserver lease={self.LEASE}', disk)

    def mount(self, host):
        return f'-t nfs4 -o addr={self.machine.address},clientaddr={host.address},vers=4.2,proto=tcp,lookupcache=pos {self.machine.address}:/'

    def restart(self, away):
        """As after a power cut."""
        self.machine.power_off()
        time.sleep(away)
        self.machine.boot()
