using System.Globalization;
using System.Text;

namespace Opossum.FileSystem.Linux;

/// <summary>One mount, as a line of /proc/self/mountinfo describes it (proc_pid_mountinfo(5)).</summary>
/// <param name="Type">The kind of file system.</param>
/// <param name="Options">The options of the mount and those of the file system.</param>
/// <param name="IsReadOnly">Whether the file system is read-only at this mount and all others.</param>
internal sealed record LinuxMount(string Point, string Type, string Options, bool IsReadOnly)
{
    /// <summary>Why locks do not reach other machines here, and what to do about it; null when they do, as far as the options show.</summary>
    public string? LockRefusal
    {
        get
        {
            foreach (var option in Options.Split(','))
            {
                if (option is "nobrl" or "nolock" or "localflock" or "localflocks")
                    return Refuse($"is mounted with {option}", $"Mount it without {option}.");
                if (option.StartsWith("local_lock=", StringComparison.Ordinal) && option != "local_lock=none")
                    return Refuse($"is mounted with {option}", "Mount it with local_lock=none.");
            }
            return Type is "fuse.sshfs" or "fuse.rclone" or "fuse.s3fs" or "fuse.gcsfuse" or "fuse.goofys"
                ? Refuse($"is mounted by {Type["fuse.".Length..]}, which does not forward locks", "Use SMB or NFS.")
                : null;
        }
    }

    /// <summary>Finds an open folder's mount by id: paths can contain links, and mounts can hide each other. Null when /proc does not tell.</summary>
    public static LinuxMount? Of(LinuxFile folder)
    {
        try
        {
            var id = FindId(File.ReadAllText(string.Create(CultureInfo.InvariantCulture, $"/proc/self/fdinfo/{(int)folder.DangerousGetHandle()}")));
            return id is null ? null : Find(File.ReadAllText("/proc/self/mountinfo"), id);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    /// <summary>Returns the id from the line "mnt_id: 27" of a file in /proc/self/fdinfo.</summary>
    public static string? FindId(string descriptorInfo)
    {
        const string Label = "mnt_id:";
        foreach (var line in descriptorInfo.Split('\n'))
        {
            if (line.StartsWith(Label, StringComparison.Ordinal))
                return line[Label.Length..].Trim();
        }
        return null;
    }

    /// <summary>Returns the mount with that id: "36 35 98:0 /in/the/volume /point rw,noatime master:1 - ext4 /dev/sda1 rw,discard".</summary>
    public static LinuxMount? Find(string mountInfo, string id)
    {
        foreach (var line in mountInfo.Split('\n'))
        {
            var words = line.Split(' ');
            var dash = Array.IndexOf(words, "-", 0);
            if (words[0] == id && dash >= 6 && words.Length > dash + 3)
            {
                return new LinuxMount(Unescape(words[4]), words[dash + 1], $"{words[5]},{words[dash + 3]}",
                    words[dash + 3].Split(',').Contains("ro"));
            }
        }
        return null;
    }

    private string Refuse(string how, string remedy) =>
        $"{Point} {how}: its locks do not reach other machines, so two machines could write at the same time. {remedy}";

    /// <summary>
    /// Decodes blank, tab, line feed and backslash, written as three octal digits; the rest is UTF-8 that has already been decoded.
    /// </summary>
    private static string Unescape(string text)
    {
        var plain = new StringBuilder(text.Length);
        for (var at = 0; at < text.Length; at++)
        {
            if (text[at] == '\\' && at + 3 < text.Length)
            {
                plain.Append((char)(((text[at + 1] - '0') * 64) + ((text[at + 2] - '0') * 8) + (text[at + 3] - '0')));
                at += 3;
            }
            else
            {
                plain.Append(text[at]);
            }
        }
        return plain.ToString();
    }
}
