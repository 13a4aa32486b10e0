using Opossum.FileSystem.Linux;

namespace Opossum.Tests.FileSystem;

public sealed class RealMountTests
{
    private const string MountInfo =
        """
        22 27 0:21 / /proc rw,relatime - proc proc rw
        27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard
        44 27 0:50 / /mnt/the\040share rw,relatime shared:3 master:1 - cifs //server/share rw,vers=3.1.1,cache=strict,nobrl,actimeo=1
        45 27 0:51 / /mnt/smb rw,relatime - cifs //server/share rw,vers=3.1.1,cache=strict,soft,nounix
        46 27 0:52 / /mnt/nfs rw - nfs4 server:/ rw,vers=4.2,hard,local_lock=none
        47 27 0:53 / /mnt/nfs3 rw - nfs server:/ rw,vers=3,nolock,local_lock=all
        48 27 0:54 / /mnt/nfs3b rw - nfs server:/ rw,vers=3,local_lock=flock
        49 27 0:55 / /mnt/ssh rw - fuse.sshfs me@server: rw,user_id=0
        50 27 0:55
        51 27 0:56 / /mnt/cloud rw - fuse.rclone remote: rw,user_id=0
        52 27 0:57 / /mnt/lustre rw - lustre mgs:/fs rw,localflock,lazystatfs
        53 27 8:17 / /mnt/cluster rw - ocfs2 /dev/sdb1 rw,localflocks
        54 27 0:58 / /mnt/gluster rw - fuse.glusterfs server:/volume rw,user_id=0,allow_other
        """;

    [Fact]
    public void A_mount_is_found_by_its_id()
    {
        Assert.Equal(new LinuxMount("/", "ext4", "rw,relatime,rw,discard", IsReadOnly: false), LinuxMount.Find(MountInfo, "27"));
        Assert.Equal("/mnt/the share", LinuxMount.Find(MountInfo, "44")!.Point);
        Assert.Null(LinuxMount.Find(MountInfo, "2"));
        Assert.Null(LinuxMount.Find(MountInfo, "50"));
    }

    [Fact]
    public void The_id_is_read_from_what_proc_says_of_a_handle()
    {
        Assert.Equal("27", LinuxMount.FindId("pos:\t0\nflags:\t02100000\nmnt_id:\t27\nino:\t2\n"));
        Assert.Null(LinuxMount.FindId("pos:\t0\n"));
    }

    [Theory]
    [InlineData("44", "nobrl")]
    [InlineData("47", "nolock")]
    [InlineData("48", "local_lock=flock")]
    [InlineData("49", "sshfs")]
    [InlineData("51", "rclone")]
    [InlineData("52", "localflock")]
    [InlineData("53", "localflocks")]
    public void A_mount_that_keeps_locks_to_this_machine_is_refused_by_name(string id, string option)
    {
        var mount = LinuxMount.Find(MountInfo, id)!;
        Assert.Contains(option, mount.LockRefusal, StringComparison.Ordinal);
        Assert.Contains(mount.Point, mount.LockRefusal, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("27")]
    [InlineData("45")]
    [InlineData("46")]
    [InlineData("54")]
    public void A_mount_that_hands_locks_on_is_not(string id) => Assert.Null(LinuxMount.Find(MountInfo, id)!.LockRefusal);
}
